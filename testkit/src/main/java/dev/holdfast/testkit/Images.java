package dev.holdfast.testkit;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;

/** The folder of real pictures that some tests read. */
public final class Images {
  private Images() {}

  /**
   * Returns the folder named by the property {@code holdfast.images}; skips the test when there is
   * none.
   *
   * @return an existing folder
   */
  public static Path folder() {
    String name = System.getProperty("holdfast.images", "");
    Assumptions.assumeFalse(
        name.isEmpty(), "skipped: the property holdfast.images names no folder of pictures");
    Path folder = Path.of(name);
    Assumptions.assumeTrue(
        Files.isDirectory(folder), () -> "skipped: there is no folder of pictures at " + folder);
    return folder;
  }
}
