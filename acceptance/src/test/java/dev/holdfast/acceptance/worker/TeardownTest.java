package dev.holdfast.acceptance.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.ArenaClosedException;
import dev.holdfast.arena.Backing;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.arena.internal.fault.FaultPoint.InjectedFault;
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

  /** Abort, drain, wait, outputs, channel, and the name of the arena. */
  @ParameterizedTest
  @ValueSource(ints = {1, 4, 5, 8, 10, 12})
  void aStepThatFailsIsToldAndKeepsNoOtherFromItsWork(int step) {
    PausePoints failing = PausePoints.in(folder).act("PARENT_TEARDOWN_STEP", "throw", step);
    try (ChildJvm child =
        ChildJvm.of(Closing.class).jvmArgs("-Xmx64m", failing.jvmArgument()).start()) {
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
      SubprocessIterable<Map<String, Object>> items =
          Subprocess.iterate(Workers.stamped(1000), Workers.options(true, 4).build());
      try (Lease<Map<String, Object>> lease = items.leases().iterator().next()) {
        Workers.verify(0, lease.item());
      }
      assertThrows(InjectedFault.class, items::close);
      assertFalse(Pids.isAlive(items.pid()));
      items.close();
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
