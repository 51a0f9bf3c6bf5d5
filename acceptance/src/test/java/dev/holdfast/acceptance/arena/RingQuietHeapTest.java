package dev.holdfast.acceptance.arena;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.ArenaStats;
import dev.holdfast.arena.SharedMemoryRingBuffer;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Parent;
import dev.holdfast.testkit.ProcSelf;
import dev.holdfast.testkit.Rounds;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A consumer that drops copies of 8 MiB on a heap so large and quiet that no collection comes by
 * itself. What is alive or waits to be found stays below the bound that "Choosing an arena" states.
 */
@ExtendWith(Leftovers.class)
final class RingQuietHeapTest {
  private static final long BOUND = 1L << 30;

  @Test
  void droppedViewsNeverHoldMoreThanTheBound() {
    run(2_000, ViewScope.COLLECTED);
  }

  @Test
  void droppedLeasesNeverHoldMoreThanTheBound() {
    run(2_000, ViewScope.CONFINED);
  }

  @Test
  void droppedViewsNeverHoldMoreThanTheBoundUnderZgc() {
    run(1_000, ViewScope.COLLECTED, "-XX:+UseZGC");
  }

  private static void run(int fullUnits, ViewScope scope, String... jvmArguments) {
    int units = Rounds.of(fullUnits);
    try (ChildJvm child =
        ChildJvm.of(DroppingChild.class)
            .jvmArgs("-Xmx4g")
            .jvmArgs(jvmArguments)
            .args(String.valueOf(units), scope.name())
            .start()) {
      String line = child.awaitLine("DONE", Duration.ofMinutes(5));
      child.awaitSuccess();
      System.out.println(scope + " " + List.of(jvmArguments) + line);
      long most = Long.parseLong(line.trim().split(" ", -1)[0]);
      assertTrue(most <= BOUND, "bytes of copies: " + most);
    }
  }

  /** Reads each copy once and drops it. */
  static final class DroppingChild {
    private static final int SIZE = 8 << 20;

    private DroppingChild() {}

    public static void main(String[] arguments) {
      int units = Integer.parseInt(arguments[0]);
      ViewScope scope = ViewScope.valueOf(arguments[1]);
      try (Rig rig = new Rig(new SharedMemoryRingBuffer(SIZE))) {
        MemorySegment source = MemorySegment.ofArray(new byte[SIZE]);
        long before = ProcSelf.statusBytes(ProcessHandle.current().pid(), "RssAnon");
        long most = 0;
        for (int i = 0; i < units; i++) {
          source.set(ValueLayout.JAVA_INT_UNALIGNED, SIZE - 4, i);
          pass(rig, source, scope, i);
          long now = ProcSelf.statusBytes(ProcessHandle.current().pid(), "RssAnon");
          most = Math.max(most, now - before);
        }
        ArenaStats stats = rig.arena.stats();
        Parent.say(
            "DONE %d collections %d fresh %d recycled %d"
                .formatted(most, stats.gcRequests(), stats.freshBytes(), stats.recycledBytes()));
      }
    }

    private static void pass(Rig rig, MemorySegment source, ViewScope scope, int value) {
      rig.writer().beginUnit();
      var placements = List.of(rig.writer().writeBinary(source));
      Sent sent = rig.admit(new Sent(rig.writer().commitUnit(), placements, 0, 0));
      var open = rig.reader().beginUnit(sent.receipt(), scope);
      MemorySegment view = open.readBinary(placements.getFirst().offset(), SIZE);
      var lease = open.endUnit(List.of());
      if (view.get(ValueLayout.JAVA_INT, SIZE - 4) != value || lease.scope() != scope) {
        throw new AssertionError("wrong bytes in unit " + value);
      }
    }
  }
}
