package dev.holdfast.acceptance.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.ArenaClosedException;
import dev.holdfast.arena.Backing;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.arena.StorageRetainedException;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.arena.internal.fault.FaultPoint.InjectedFault;
import dev.holdfast.arena.internal.life.Quarantine;
import dev.holdfast.loader.Lease;
import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.SubprocessOptions;
import dev.holdfast.loader.WorkerFailedException;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Maps;
import dev.holdfast.testkit.PausePoints;
import dev.holdfast.testkit.ProcSelf;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The steps that end a worker: each runs whether or not another failed. */
@ExtendWith(Leftovers.class)
@Timeout(180)
final class TeardownTest {
  @TempDir private Path folder;

  @Test
  void anArenaThatRefusesEveryStepKeepsNoWorkerAndIsAskedAgain() {
    RefusingArena arena = new RefusingArena(Workers.pool(4));
    SubprocessIterable<Map<String, Object>> items =
        Subprocess.iterate(Workers.stamped(1000), Workers.options().arena(arena).build());
    Iterator<Lease<Map<String, Object>>> leases = items.leases(ViewScope.SHARED).iterator();
    Lease<Map<String, Object>> held = leases.next();
    arena.refuse(true);

    IllegalStateException first = assertThrows(IllegalStateException.class, items::close);

    assertEquals("shutdown", first.getMessage());
    List<String> others = Stream.of(first.getSuppressed()).map(Throwable::getMessage).toList();
    assertEquals(List.of("close reader", "close"), others, "without a close there is no unlink");
    assertFalse(Pids.isAlive(items.pid()));
    assertThrows(ArenaClosedException.class, leases::next);
    Workers.verify(0, held.item());

    arena.refuse(false);
    items.close();

    assertTrue(arena.isUnlinked());
    Workers.verify(0, held.item());
    held.close();
  }

  /** All of them; without a closed arena there is no unlink. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
  void aStepThatFailsIsToldAndKeepsNoOtherFromItsWork(int step) {
    PausePoints failing = PausePoints.in(folder).act("PARENT_TEARDOWN_STEP", "throw", step);
    try (ChildJvm child =
        ChildJvm.of(Closing.class)
            .jvmArgs("-Xmx64m", failing.jvmArgument())
            .args(String.valueOf(step))
            .start()) {
      child.awaitSuccess();
    }
  }

  /** Wait, and terminate. */
  @ParameterizedTest
  @ValueSource(ints = {5, 6})
  void aWorkerThatStandsStillIsKilledAlthoughAStepBeforeFails(int step) {
    PausePoints failing = PausePoints.in(folder).act("PARENT_TEARDOWN_STEP", "throw", step);
    try (ChildJvm child =
        ChildJvm.of(ClosingOnStopped.class).jvmArgs("-Xmx64m", failing.jvmArgument()).start()) {
      child.awaitSuccess();
    }
  }

  @Test
  void aWorkerThatCouldNotBeKilledKeepsItsStorageUntilTheNextTry() {
    PausePoints failing = PausePoints.in(folder).act("PARENT_TEARDOWN_STEP", "throw", 7);
    try (ChildJvm child =
        ChildJvm.of(NotKilling.class).jvmArgs("-Xmx64m", failing.jvmArgument()).start()) {
      child.awaitSuccess();
    }
  }

  @Test
  void aWorkerWhoseEndIsNotProvedKeepsItsStorageAndItsNameAtEachClose() {
    PausePoints unproved = PausePoints.in(folder).pause("PARENT_REAPED_WORKER", 1);
    try (ChildJvm child =
        ChildJvm.of(Unproved.class)
            .jvmArgs("-Xmx64m", unproved.jvmArgument())
            .args(folder.toString())
            .start()) {
      child.awaitSuccess();
    }
  }

  /** Abort, the reader, and the channel, which is tried again. */
  // R6
  @ParameterizedTest
  @ValueSource(ints = {1, 9, 10})
  void aCleanUpThatFailsUnderHeldViewsHidesNoErrorAndRemovesTheFile(int step) {
    PausePoints failing = PausePoints.in(folder).act("PARENT_TEARDOWN_STEP", "throw", step);
    try (ChildJvm child =
        ChildJvm.of(FailingTwice.class)
            .jvmArgs("-Xmx64m", failing.jvmArgument())
            .args(folder.resolve("arena").toString())
            .start()) {
      child.awaitSuccess();
    }
    assertFalse(Files.exists(folder.resolve("arena")));
  }

  @Test
  void aStartThatFailsSaysItsOwnReasonAndWhatItsTeardownMetBesides() {
    RefusingArena arena = new RefusingArena(Workers.pool(2));
    arena.refuse(true);
    SubprocessOptions options =
        Workers.options()
            .arena(arena)
            .initializer(
                _ -> {
                  throw new IllegalStateException("the first reason");
                })
            .build();

    WorkerFailedException failed =
        assertThrows(
            WorkerFailedException.class, () -> Subprocess.iterate(Workers.stamped(1), options));

    assertTrue(failed.getMessage().contains("the first reason"), failed::toString);
    assertEquals("shutdown", failed.getSuppressed()[0].getMessage());
    arena.refuse(false);
    Deadlines.assertEventually("it is tried again", arena::isUnlinked);
  }

  /** Else the numbers above, and those of the killed parents, are those of other steps. */
  @Test
  void thereAreTwelveSteps() {
    PausePoints beyond = PausePoints.in(folder).act("PARENT_TEARDOWN_STEP", "throw", 13);
    try (ChildJvm child =
        ChildJvm.of(ClosingOnce.class).jvmArgs("-Xmx64m", beyond.jvmArgument()).start()) {
      child.awaitSuccess();
    }
  }

  /** Holds three views when the source fails, and then a step of closing fails too. */
  static final class FailingTwice {
    private static final int HELD = 3;

    private FailingTwice() {}

    public static void main(String[] arguments) {
      Path file = Path.of(arguments[0]);
      SubprocessOptions options =
          Workers.options()
              .arena(
                  SharedMemorySegmentPool.builder(Workers.PAYLOAD_BYTES, HELD + 1)
                      .backing(Backing.file(file))
                      .build())
              .build();
      List<Lease<Map<String, Object>>> held = new ArrayList<>();
      List<SubprocessIterable<Map<String, Object>>> made = new ArrayList<>();

      WorkerFailedException failed =
          assertThrows(
              WorkerFailedException.class,
              () -> {
                try (SubprocessIterable<Map<String, Object>> items =
                    Subprocess.iterate(_ -> Workers.counting(9, FailingTwice::item), options)) {
                  made.add(items);
                  assertTrue(Files.exists(file));
                  items.leases().forEach(held::add);
                }
              });

      assertTrue(failed.getMessage().contains("the source fails"), failed::toString);
      assertEquals(1, failed.getSuppressed().length);
      assertInstanceOf(InjectedFault.class, failed.getSuppressed()[0]);
      assertEquals(HELD, held.size());
      assertFalse(Files.exists(file), "the file has a name still");
      assertFalse(Pids.isAlive(made.getFirst().pid()));
      for (int again = 0; again < 2; again++) {
        made.getFirst().close();
        for (int index = 0; index < HELD; index++) {
          Workers.verify(index, held.get(index).item());
        }
        assertEquals(1, Maps.ofArenas().size(), () -> Maps.ofArenas().toString());
      }
      held.forEach(Lease::close);
      Deadlines.assertEventually("nothing is mapped", () -> Maps.ofArenas().isEmpty());
    }

    private static Map<String, Object> item(int index) {
      if (index == HELD) {
        throw new IllegalStateException("the source fails");
      }
      return Workers.stampedItem(index);
    }
  }

  /** Closes once, and nothing fails. */
  static final class ClosingOnce {
    private ClosingOnce() {}

    public static void main(String[] arguments) {
      Subprocess.iterate(Workers.stamped(1), Workers.options(true, 4).build()).close();
    }
  }

  /** Closes twice, and the first time something fails. */
  static final class Closing {
    private Closing() {}

    public static void main(String[] arguments) {
      Ended ended = new Ended();
      ended.takeOne();

      InjectedFault failed = assertThrows(InjectedFault.class, ended.items::close);

      assertEquals(0, failed.getSuppressed().length, "nothing else fails");
      assertEquals(asked(Integer.parseInt(arguments[0])), ended.asked());
      assertFalse(Pids.isAlive(ended.items.pid()));
      ended.closeAndLeaveNothing();
    }

    /** What an arena is asked for when a step of the twelve fails before it does anything. */
    private static List<String> asked(int failing) {
      return switch (failing) {
        case 2 -> List.of("close reader", "close", "unlink");
        case 9 -> List.of("shutdown", "close", "unlink");
        case 11 -> List.of("shutdown", "close reader");
        case 12 -> List.of("shutdown", "close reader", "close");
        default -> List.of("shutdown", "close reader", "close", "unlink");
      };
    }
  }

  /** Closes a worker that neither answers nor heeds a signal but the last. */
  static final class ClosingOnStopped {
    private ClosingOnStopped() {}

    public static void main(String[] arguments) {
      Ended ended = new Ended();
      ended.takeOne();
      ChildJvm.signal(ended.items.pid(), ChildJvm.SIGSTOP);

      InjectedFault failed = assertThrows(InjectedFault.class, ended.items::close);

      assertEquals(0, failed.getSuppressed().length, "nothing else fails");
      assertFalse(Pids.isAlive(ended.items.pid()));
      assertEquals(List.of("shutdown", "close reader", "close", "unlink"), ended.asked());
      ended.closeAndLeaveNothing();
    }
  }

  /** The same, and the last one is not sent at first. */
  static final class NotKilling {
    private NotKilling() {}

    public static void main(String[] arguments) {
      Ended ended = new Ended();
      ended.takeOne();
      ChildJvm.signal(ended.items.pid(), ChildJvm.SIGSTOP);

      InjectedFault failed = assertThrows(InjectedFault.class, ended.items::close);

      assertEquals(1, failed.getSuppressed().length);
      ended.assertKept(
          assertInstanceOf(StorageRetainedException.class, failed.getSuppressed()[0]), "stopped");
      assertEquals(List.of("shutdown"), ended.asked());
      ended.closeAndLeaveNothing();
      assertFalse(Pids.isAlive(ended.items.pid()));
    }
  }

  /** Closes while nothing says that the worker has ended, and then once more. */
  static final class Unproved {
    private Unproved() {}

    public static void main(String[] arguments) {
      Ended ended = new Ended();
      ended.takeOne();

      for (int times = 1; times <= 2; times++) {
        ended.assertKept(assertThrows(StorageRetainedException.class, ended.items::close), "ended");
        assertEquals(Collections.nCopies(times, "shutdown"), ended.asked());
        assertFalse(ended.arena.isUnlinked());
        assertEquals(2, Maps.ofArenas().size(), () -> "arena and channel: " + Maps.ofArenas());
        List<String> kept = Quarantine.describe();
        assertEquals(1, kept.size(), kept::toString);
        assertTrue(kept.getFirst().contains("pid=" + ended.items.pid()), kept::toString);
      }

      PausePoints.in(Path.of(arguments[0])).release("PARENT_REAPED_WORKER");
      ended.closeAndLeaveNothing();
      Deadlines.assertEventually("it is kept no more", () -> Quarantine.size() == 0);
    }
  }

  /** A worker and its arena, which are to be ended. */
  private static final class Ended {
    private final RefusingArena arena = new RefusingArena(Workers.pool(4));
    private final SubprocessIterable<Map<String, Object>> items =
        Subprocess.iterate(Workers.stamped(1000), Workers.options().arena(arena).build());

    void takeOne() {
      try (Lease<Map<String, Object>> lease = items.leases().iterator().next()) {
        Workers.verify(0, lease.item());
      }
    }

    /** Returns what this thread, and no retry elsewhere, has asked the arena for. */
    List<String> asked() {
      return arena.askedBy(Thread.currentThread());
    }

    void assertKept(StorageRetainedException kept, String state) {
      assertEquals("the worker's end is not certain", kept.facts().get("why"));
      assertEquals(items.pid(), kept.facts().get("pid"));
      assertEquals(state, kept.facts().get("state"));
    }

    void closeAndLeaveNothing() {
      items.close();
      assertTrue(arena.isUnlinked());
      Deadlines.assertEventually("nothing is mapped", () -> Maps.ofArenas().isEmpty());
      Deadlines.assertEventually("nothing is open", () -> openMemory().isEmpty());
    }

    private static List<String> openMemory() {
      return ProcSelf.descriptors().values().stream()
          .filter(file -> file.startsWith("/memfd:holdfast"))
          .toList();
    }
  }
}
