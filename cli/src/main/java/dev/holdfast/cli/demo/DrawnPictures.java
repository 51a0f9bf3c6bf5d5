package dev.holdfast.cli.demo;

import dev.holdfast.cli.text.Words;
import java.awt.Color;
import java.awt.GradientPaint;
import java.awt.Graphics2D;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import javax.imageio.ImageIO;

/**
 * A temporary folder with pictures drawn for the demo, always the same ones. Closing removes it,
 * from any thread; so does the end of the JVM.
 */
public final class DrawnPictures implements AutoCloseable {
  private static final int SHAPES = 12;
  private static final int SMALLEST = 96;
  private static final int LARGEST = 360;

  private final Path folder;
  private final Thread hook = new Thread(this::closeAtExit, "holdfast-drawn-pictures");
  private boolean closed; // guarded by this

  private DrawnPictures(Path folder) {
    this.folder = folder;
  }

  /**
   * Draws pictures into a new folder.
   *
   * @param count how many
   * @return the folder's owner
   * @throws IOException when a file cannot be written; nothing is left then
   */
  public static DrawnPictures draw(int count) throws IOException {
    PictureDecoder.prepareProcess();
    DrawnPictures drawn = new DrawnPictures(Files.createTempDirectory("holdfast-demo-"));
    try {
      Runtime.getRuntime().addShutdownHook(drawn.hook);
      for (int i = 0; i < count; i++) {
        drawn.write(i);
      }
      return drawn;
    } catch (IOException | RuntimeException | Error failure) {
      try {
        drawn.close();
      } catch (IOException second) {
        failure.addSuppressed(second);
      }
      throw failure;
    }
  }

  /**
   * Returns where the pictures are.
   *
   * @return the folder
   */
  public Path folder() {
    return folder;
  }

  private synchronized void write(int number) throws IOException {
    if (closed) {
      throw new IllegalStateException("the folder was removed: folder=" + folder);
    }
    String format = number % 2 == 0 ? "jpg" : "png";
    String name = Words.format("picture-%04d.%s", number, format);
    try (OutputStream file = Files.newOutputStream(folder.resolve(name))) {
      if (!ImageIO.write(picture(new SplittableRandom(number)), format, file)) {
        throw new IOException("this JDK writes no such pictures: format=" + format);
      }
    }
  }

  private static BufferedImage picture(SplittableRandom random) {
    int width = random.nextInt(SMALLEST, LARGEST);
    int height = random.nextInt(SMALLEST, LARGEST);
    BufferedImage picture = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
    Graphics2D graphics = picture.createGraphics();
    try {
      graphics.setPaint(new GradientPaint(0, 0, color(random), width, height, color(random)));
      graphics.fillRect(0, 0, width, height);
      for (int i = 0; i < SHAPES; i++) {
        graphics.setColor(color(random));
        int x = random.nextInt(width);
        int y = random.nextInt(height);
        int across = 1 + random.nextInt(width / 2);
        int down = 1 + random.nextInt(height / 2);
        if (random.nextBoolean()) {
          graphics.fillOval(x, y, across, down);
        } else {
          graphics.fillRect(x, y, across, down);
        }
      }
      return picture;
    } finally {
      graphics.dispose();
    }
  }

  private static Color color(SplittableRandom random) {
    return new Color(random.nextInt(1 << 24));
  }

  private void closeAtExit() {
    try {
      close();
    } catch (IOException e) {
      System.err.println("holdfast: " + Words.summary(e));
    }
  }

  /** Removes the folder and what is in it. Repeating it does nothing. */
  @Override
  public synchronized void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
      for (Path file : files) {
        Files.deleteIfExists(file);
      }
    }
    Files.deleteIfExists(folder);
    if (Thread.currentThread() != hook) {
      forgetHook();
    }
  }

  private void forgetHook() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The JVM is ending, and the hook will find nothing to do.
    }
  }
}
