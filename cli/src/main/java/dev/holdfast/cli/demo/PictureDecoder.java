package dev.holdfast.cli.demo;

import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.awt.image.DataBufferInt;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import javax.imageio.IIOException;
import javax.imageio.ImageIO;

/**
 * Decodes a picture, scales it to a fixed square on black and stores it plane by plane as floats
 * from 0 to 255. Belongs to one thread.
 */
final class PictureDecoder {
  static final int SIDE = 224;
  static final int CHANNELS = 3;
  static final int PIXELS = SIDE * SIDE;
  static final long BYTES = (long) CHANNELS * PIXELS * Float.BYTES;

  private static final Map<RenderingHints.Key, Object> HINTS =
      Map.of(
          RenderingHints.KEY_INTERPOLATION, RenderingHints.VALUE_INTERPOLATION_BILINEAR,
          RenderingHints.KEY_RENDERING, RenderingHints.VALUE_RENDER_QUALITY,
          RenderingHints.KEY_COLOR_RENDERING, RenderingHints.VALUE_COLOR_RENDER_QUALITY,
          RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_OFF,
          RenderingHints.KEY_DITHERING, RenderingHints.VALUE_DITHER_DISABLE);

  /*
   * Some rows of each plane. Arrays are fast also before the optimizing compiler has come to this class, which a
   * memory segment's single values are not; and since each copy out of them is a call of native code until then,
   * there are few.
   */
  private static final int BLOCK = 16 * SIDE;

  private final float[] red = new float[BLOCK];
  private final float[] green = new float[BLOCK];
  private final float[] blue = new float[BLOCK];

  private final BufferedImage canvas = new BufferedImage(SIDE, SIDE, BufferedImage.TYPE_INT_RGB);

  /**
   * Makes picture decoding work without a screen and without files of its own, in the whole
   * process.
   */
  static void prepareProcess() {
    System.setProperty("java.awt.headless", "true");
    ImageIO.setUseCache(false);
  }

  /**
   * Decodes one file.
   *
   * @param file the picture
   * @param target receives {@link #BYTES} bytes, unchanged when the file cannot be decoded
   */
  void decode(Path file, MemorySegment target) throws IOException {
    draw(read(file));
    int[] pixels = ((DataBufferInt) canvas.getRaster().getDataBuffer()).getData();
    for (int first = 0; first < PIXELS; first += BLOCK) {
      split(pixels, first, red, green, blue);
      store(red, target, first);
      store(green, target, PIXELS + first);
      store(blue, target, 2 * PIXELS + first);
    }
  }

  private static void split(int[] pixels, int first, float[] red, float[] green, float[] blue) {
    for (int i = 0; i < BLOCK; i++) {
      int rgb = pixels[first + i];
      red[i] = (rgb >> 16) & 0xff;
      green[i] = (rgb >> 8) & 0xff;
      blue[i] = rgb & 0xff;
    }
  }

  private static void store(float[] block, MemorySegment target, long first) {
    MemorySegment.copy(
        block, 0, target, ValueLayout.JAVA_FLOAT_UNALIGNED, first * Float.BYTES, block.length);
  }

  private static BufferedImage read(Path file) throws IOException {
    try (InputStream bytes = Files.newInputStream(file)) {
      BufferedImage picture = ImageIO.read(bytes);
      if (picture == null) {
        throw new IIOException("no reader knows this kind of file");
      }
      return picture;
    }
  }

  private void draw(BufferedImage picture) {
    Graphics2D graphics = canvas.createGraphics();
    try {
      graphics.setColor(Color.BLACK);
      graphics.fillRect(0, 0, SIDE, SIDE);
      graphics.addRenderingHints(HINTS);
      graphics.drawImage(picture, 0, 0, SIDE, SIDE, null);
    } finally {
      graphics.dispose();
    }
  }
}
