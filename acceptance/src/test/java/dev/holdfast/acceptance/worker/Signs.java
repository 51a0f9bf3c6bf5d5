package dev.holdfast.acceptance.worker;

import dev.holdfast.testkit.Deadlines;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * How user code in a worker says where it is: a file with its pid, which {@link
 * dev.holdfast.testkit.PausePoints#awaitReached} waits for.
 */
final class Signs {
  private Signs() {}

  /** Says that this process has come to a point. */
  static void reached(String folder, String point) {
    try {
      Path written =
          Files.writeString(
              Path.of(folder, point + ".tmp"), String.valueOf(ProcessHandle.current().pid()));
      Files.move(written, Path.of(folder, point + ".reached"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Waits until {@link dev.holdfast.testkit.PausePoints#release} lets this process go on. */
  static void awaitRelease(String folder, String point) {
    Path sign = Path.of(folder, point + ".go");
    Deadlines.assertEventually("released at " + point, Workers.FOR_EVER, () -> Files.exists(sign));
  }
}
