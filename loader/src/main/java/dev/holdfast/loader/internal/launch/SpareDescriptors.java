package dev.holdfast.loader.internal.launch;

import dev.holdfast.arena.internal.os.Descriptors;
import dev.holdfast.arena.internal.os.ErrnoException;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds out whether a process can be started without running into the limit on open files.
 *
 * <p>A start makes four pipes, two of them ours, and opens the files behind the three streams. When
 * a pipe is refused, JDK 25 closes the descriptor whose number an earlier start has left behind on
 * the stack, whoever has it open now: a file of the user's, or an arena. So it must not come to
 * that.
 */
final class SpareDescriptors {
  private static final int NEEDED = 14;

  private SpareDescriptors() {}

  /**
   * Fails when there are too few.
   *
   * @throws ErrnoException with the reason of the system
   */
  static void require() throws ErrnoException {
    List<Integer> opened = new ArrayList<>(NEEDED);
    try {
      while (opened.size() < NEEDED) {
        opened.add(Descriptors.open("/dev/null", Descriptors.O_RDONLY | Descriptors.O_CLOEXEC, 0));
      }
    } finally {
      for (int descriptor : opened) {
        Descriptors.close(descriptor);
      }
    }
  }
}
