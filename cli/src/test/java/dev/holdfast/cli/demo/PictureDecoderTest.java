package dev.holdfast.cli.demo;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.imageio.IIOException;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PictureDecoderTest {
  private final float[] pixels = new float[PictureDecoder.CHANNELS * PictureDecoder.PIXELS];

  @TempDir private Path folder;

  @BeforeAll
  static void prepare() {
    PictureDecoder.prepareProcess();
  }

  @Test
  void aPictureBecomesThreePlanesOfFloats() throws Exception {
    decode(write(BufferedImage.TYPE_INT_RGB, 13, 7, 0xff_ff8001));

    for (int i = 0; i < PictureDecoder.PIXELS; i++) {
      assertEquals(255, pixels[i]);
      assertEquals(128, pixels[PictureDecoder.PIXELS + i]);
      assertEquals(1, pixels[2 * PictureDecoder.PIXELS + i]);
    }
  }

  @Test
  void whatIsTransparentIsBlackWhateverWasDecodedBefore() throws Exception {
    PictureDecoder decoder = new PictureDecoder();
    decoder.decode(
        write(BufferedImage.TYPE_INT_RGB, 300, 5, 0xff_ffffff), MemorySegment.ofArray(pixels));

    decoder.decode(write(BufferedImage.TYPE_INT_ARGB, 9, 500, 0), MemorySegment.ofArray(pixels));

    assertArrayEquals(new float[pixels.length], pixels);
  }

  @Test
  void statisticsOfKnownPicturesAreExact() throws Exception {
    PixelStatistics statistics = new PixelStatistics();
    for (int rgb : new int[] {0xff_000000, 0xff_ff6400, 0xff_006400, 0xff_ff00ff}) {
      decode(write(BufferedImage.TYPE_INT_RGB, 20, 20, rgb));
      statistics.add(MemorySegment.ofArray(pixels), 1);
    }

    assertArrayEquals(new double[] {0.5, 50.0 / 255, 0.25}, statistics.mean());
    assertArrayEquals(
        new double[] {0.5, 50.0 / 255, Math.sqrt(3) / 4}, statistics.deviation(), 1e-15);
  }

  @Test
  void noPictureHasNoMean() {
    assertEquals(0, new PixelStatistics().mean().length);
  }

  @Test
  void aTextIsNoPicture() throws Exception {
    Path text = Files.writeString(folder.resolve("text.png"), "no picture");

    assertThrows(IIOException.class, () -> decode(text));
  }

  private void decode(Path file) throws IOException {
    new PictureDecoder().decode(file, MemorySegment.ofArray(pixels));
  }

  private Path write(int type, int width, int height, int argb) throws IOException {
    BufferedImage picture = new BufferedImage(width, height, type);
    for (int y = 0; y < height; y++) {
      for (int x = 0; x < width; x++) {
        picture.setRGB(x, y, argb);
      }
    }
    Path file = folder.resolve("picture.png");
    ImageIO.write(picture, "png", file.toFile());
    return file;
  }
}
