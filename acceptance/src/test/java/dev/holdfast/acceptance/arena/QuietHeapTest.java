package dev.holdfast.acceptance.arena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.AcquireTimeoutException;
import dev.holdfast.arena.ArenaStats;
import dev.holdfast.arena.OpenUnit;
import dev.holdfast.arena.Placement;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Parent;
import dev.holdfast.testkit.Rounds;
import dev.holdfast.testkit.Stamps;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A consumer that only drops its views, on a heap so large and quiet that no collection comes by
 * itself. R11
 */
@ExtendWith(Leftovers.class)
final class QuietHeapTest {
  private static final int SEGMENTS = 4;

  @Test
  void droppedViewsComeBackWithFewRequestsUnderTheStandardCollector() {
    assertFewRequests(run(Rounds.of(10_000), "platform"));
  }

  @Test
  void droppedViewsComeBackUnderTheSerialCollector() {
    assertFewRequests(run(Rounds.of(10_000, 60), "platform", "-XX:+UseSerialGC"));
  }

  @Test
  void droppedViewsComeBackUnderZgc() {
    assertFewRequests(run(Rounds.of(10_000, 60), "platform", "-XX:+UseZGC"));
  }

  @Test
  void droppedViewsOfAVirtualConsumerComeBack() {
    assertFewRequests(run(Rounds.of(10_000, 60), "virtual"));
  }

  @Test
  void withExplicitCollectionsDisabledAllArriveOrTheErrorNamesTheCollectedViews() {
    Result result = run(Rounds.of(10_000, 60), "platform", "-XX:+DisableExplicitGC", "-Dlimit=5");
    if (result.timeout.isEmpty()) {
      assertEquals(result.units, result.reclaimed, result::toString);
    } else {
      assertTrue(result.timeout.contains("collected views"), result::toString);
    }
  }

  private record Result(int units, long reclaimed, long requests, long copies, String timeout) {}

  private static void assertFewRequests(Result result) {
    assertEquals("", result.timeout);
    assertEquals(result.units, result.reclaimed, result::toString);
    assertTrue(result.copies < result.units, result::toString);
    assertTrue(
        result.requests <= result.units / (SEGMENTS - 1) + 10,
        () -> "too many requests: " + result);
  }

  private static Result run(int units, String thread, String... jvmArguments) {
    try (ChildJvm child =
        ChildJvm.of(DroppingChild.class)
            .jvmArgs("-Xmx4g")
            .jvmArgs(jvmArguments)
            .args(String.valueOf(units), thread)
            .start()) {
      String[] numbers = child.awaitLine("END", Duration.ofMinutes(15)).split(" ", 4);
      child.awaitSuccess();
      Result result =
          new Result(
              units,
              Long.parseLong(numbers[0]),
              Long.parseLong(numbers[1]),
              Long.parseLong(numbers[2]),
              numbers.length < 4 ? "" : numbers[3]);
      System.out.println(List.of(jvmArguments) + " " + result);
      return result;
    }
  }

  /** Reads each view once and drops it; makes heap copies when the reader advises them. */
  static final class DroppingChild {
    private static final int SIZE = 8 << 20;

    private DroppingChild() {}

    public static void main(String[] arguments) throws Exception {
      int units = Integer.parseInt(arguments[0]);
      Duration limit = Duration.ofSeconds(Long.getLong("limit", 20));
      Rig rig = Pools.rig(SIZE, SEGMENTS, limit);
      BlockingQueue<Sent> channel = new LinkedBlockingQueue<>();
      FutureTask<Void> writer =
          Deadlines.start(
              "writer",
              () -> {
                write(rig, channel, units);
                return null;
              });
      FutureTask<Long> consumer = new FutureTask<>(() -> consume(rig, channel, units));
      Thread.Builder builder =
          arguments[1].equals("virtual") ? Thread.ofVirtual() : Thread.ofPlatform().daemon();
      builder.name("consumer").start(consumer);
      String timeout = "";
      long copies = 0;
      try {
        Deadlines.within("writer", Duration.ofMinutes(14), () -> Deadlines.unwrapped(writer));
        copies = Deadlines.result(consumer);
        Deadlines.assertEventually("all units are back", () -> allBack(rig, units));
      } catch (AcquireTimeoutException e) {
        timeout = " " + e.getMessage();
      }
      ArenaStats stats = rig.arena.stats();
      rig.close();
      Parent.say("END " + stats.reclaimed() + " " + stats.gcRequests() + " " + copies + timeout);
    }

    private static boolean allBack(Rig rig, int units) {
      byte[] garbage = new byte[64 << 20];
      System.gc();
      return garbage.length > 0 && rig.reclaimed() == units;
    }

    private static void write(Rig rig, BlockingQueue<Sent> channel, int units) {
      MemorySegment source = MemorySegment.ofArray(new byte[SIZE]);
      for (int i = 0; i < units; i++) {
        rig.writer().beginUnit();
        Stamps.fillSparse(source, i, 0);
        Placement placement = rig.writer().writeBinary(source);
        channel.add(new Sent(rig.writer().commitUnit(), List.of(placement), i, 0));
      }
    }

    private static long consume(Rig rig, BlockingQueue<Sent> channel, int units)
        throws InterruptedException {
      long copies = 0;
      for (int i = 0; i < units; i++) {
        Sent sent = rig.admit(channel.take());
        if (rig.reader().heapCopiesAdvised()) {
          copy(rig, sent);
          copies++;
        } else {
          read(rig, sent);
        }
      }
      return copies;
    }

    private static void read(Rig rig, Sent sent) {
      OpenUnit open = rig.reader().beginUnit(sent.receipt(), ViewScope.COLLECTED);
      Placement placement = sent.placements().getFirst();
      MemorySegment view = open.readBinary(placement.offset(), placement.byteSize());
      open.endUnit(List.of()).close();
      Stamps.verifySparse(view, sent.stamp(), 0);
    }

    private static void copy(Rig rig, Sent sent) {
      OpenUnit open = rig.reader().beginUnit(sent.receipt(), ViewScope.COLLECTED);
      Placement placement = sent.placements().getFirst();
      MemorySegment copy = MemorySegment.ofArray(new byte[SIZE]);
      copy.copyFrom(open.peekBinary(placement.offset(), placement.byteSize()));
      open.endUnit(List.of()).close();
      Stamps.verifySparse(copy, sent.stamp(), 0);
    }
  }
}
