package dev.holdfast.acceptance.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.PausePoints;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Processes that exit and have not closed what they use. Their arenas lie in {@code /dev/shm}. */
@ExtendWith(Leftovers.class)
@Timeout(180)
final class ParentExitTest {
  private static final String SHARED_MEMORY = "/dev/shm";
  private static final int SIGINT = 2;

  @TempDir private Path folder;

  // R43
  @ParameterizedTest
  @CsvSource({"RETURNS, 0", "EXITS, 7", "THROWS, 1", "CLOSES_IN_A_HOOK, 0"})
  void aHalfUsedRunWhoseWorkerIsBusyKeepsNobody(ParentMain.Ending ending, int status) {
    try (ChildJvm parent = ParentMain.lost(Busy.SLEEPS, SHARED_MEMORY, folder, 2, ending).start()) {
      long worker = Long.parseLong(parent.awaitLine("WORKER "));
      parent.awaitLine("LEAVING");
      verifyExit(parent, worker, status, System.nanoTime());
    }
  }

  // R43
  @Test
  void anInterruptFromTheKeyboardEndsBoth() {
    try (ChildJvm parent = waiting("setsid")) {
      long worker = PausePoints.in(folder).awaitReached(Busy.POINT);
      parent.awaitLine("LEAVING");
      long begin = System.nanoTime();
      ChildJvm.signal(-parent.pid(), SIGINT); // the whole process group
      verifyExit(parent, worker, ChildJvm.SIGNALLED + SIGINT, begin);
    }
  }

  // R43
  @Test
  void anEndThatWasAskedForEndsBoth() {
    try (ChildJvm parent = waiting()) {
      long worker = PausePoints.in(folder).awaitReached(Busy.POINT);
      parent.awaitLine("LEAVING");
      long begin = System.nanoTime();
      parent.kill(ChildJvm.SIGTERM);
      verifyExit(parent, worker, ChildJvm.SIGNALLED + ChildJvm.SIGTERM, begin);
    }
  }

  // R61
  @ParameterizedTest
  @CsvSource({"0, /dev/shm", "2, /dev/shm", "5, /dev/shm", "2, none"})
  void whatIsNeverClosedKeepsNobody(int taken, String backing) {
    try (ChildJvm parent =
        ParentMain.finite(4, backing, folder, taken, ParentMain.Ending.RETURNS).start()) {
      long worker = Long.parseLong(parent.awaitLine("WORKER "));
      parent.awaitLine("LEAVING");
      verifyExit(parent, worker, 0, System.nanoTime());
    }
  }

  /**
   * A host that is asked to end looks for the worker's end, and is killed after a second or two.
   * Once is enough: had it been killed first, it would never see that.
   */
  // R43
  @Test
  void otherWorkersAreEndedBeforeAHostIsWaitedFor() {
    Path seen = folder.resolve(HostAndWorkerMain.SEEN);
    for (int round = 0; round < 5 && !Files.exists(seen); round++) {
      try (ChildJvm parent = ChildJvm.of(HostAndWorkerMain.class).args(folder.toString()).start()) {
        long host = Long.parseLong(parent.awaitLine("HOST "));
        long worker = Long.parseLong(parent.awaitLine("WORKER "));
        long begin = System.nanoTime();
        parent.send("exit");
        Promise.ends("a worker whose parent exits", worker, Promise.ORPHAN_GONE, begin);
        verifyExit(parent, host, 0, begin);
      }
    }
    assertTrue(Files.exists(seen), "the host went before the worker in each round");
  }

  private ChildJvm waiting(String... prefix) {
    return ParentMain.lost(Busy.SLEEPS, SHARED_MEMORY, folder, 2, ParentMain.Ending.WAITS)
        .heedsInterrupts()
        .prefix(prefix)
        .start();
  }

  private static void verifyExit(ChildJvm parent, long worker, int status, long begin) {
    int exit = parent.awaitExit();
    Duration time = Duration.ofNanos(System.nanoTime() - begin);
    Promise.ends("a worker whose parent exits", worker, Promise.ORPHAN_GONE, begin);
    assertEquals(status, exit, parent::errorOutput);
    Promise.took("exit", Promise.EXITED, time);
  }
}
