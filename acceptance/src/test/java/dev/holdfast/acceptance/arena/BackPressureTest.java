package dev.holdfast.acceptance.arena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.AcquireTimeoutException;
import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.arena.SharedMemoryRingBuffer;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.ProcSelf;
import dev.holdfast.testkit.Rounds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A writer in a process of its own that is faster than its consumer. R2 */
@ExtendWith(Leftovers.class)
final class BackPressureTest {
  private static final int MIB = 1 << 20;

  /** An arena of about a mebibyte or two, the size of its units, and how many it holds. */
  enum Kind {
    POOL(MIB, 2),
    RING(300 << 10, 3);

    private final int unitBytes;
    private final int units;

    Kind(int unitBytes, int units) {
      this.unitBytes = unitBytes;
      this.units = units;
    }

    Rig rig(Duration acquireTimeout) {
      return new Rig(arena(acquireTimeout));
    }

    private SharedMemoryArena arena(Duration acquireTimeout) {
      return switch (this) {
        case POOL ->
            SharedMemorySegmentPool.builder(MIB, units).acquireTimeout(acquireTimeout).build();
        case RING -> SharedMemoryRingBuffer.builder(MIB).acquireTimeout(acquireTimeout).build();
      };
    }

    String write(int count) {
      return "write " + count + " " + unitBytes;
    }
  }

  @ParameterizedTest
  @EnumSource
  void slowConsumerGetsEveryUnitRight(Kind kind) {
    int units = Rounds.of(50);
    Duration pause = Duration.ofMillis(Rounds.whole() ? 300 : 50);
    try (Rig rig = kind.rig(Pools.LONG);
        RemoteEndpoint remote = RemoteEndpoint.attach(rig.arena)) {
      remote.send(kind.write(units));
      for (int i = 0; i < units; i++) {
        Sent sent = Sent.parse(remote.child().awaitLine("SENT "));
        assertEquals(i, sent.receipt().unit());
        try (Opened opened = rig.admitAndOpen(sent, ViewScope.CONFINED)) {
          Deadlines.pause(pause);
          opened.verify();
        }
      }
      remote.answer();
      assertEquals(units, rig.reclaimed());
      remote.exit();
    }
  }

  /** A writer that has filled its arena and waits with one unit more. */
  private record Waiting(Rig rig, RemoteEndpoint remote, List<Sent> full) implements AutoCloseable {

    static Waiting start(Kind kind) {
      Rig rig = kind.rig(Pools.LONG);
      RemoteEndpoint remote = RemoteEndpoint.attach(rig.arena);
      remote.send(kind.write(kind.units + 1));
      List<Sent> full = new ArrayList<>();
      for (int i = 0; i < kind.units; i++) {
        full.add(Sent.parse(remote.child().awaitLine("SENT ")));
      }
      return new Waiting(rig, remote, full);
    }

    Duration cpuTime() {
      return ProcSelf.cpuTime(remote.child().pid());
    }

    void goOn() {
      long start = System.nanoTime();
      rig.admitAndDiscard(full.getFirst());
      Sent last = Sent.parse(remote.child().awaitLine("SENT "));
      Duration wake = Duration.ofNanos(System.nanoTime() - start);
      assertTrue(wake.compareTo(Duration.ofSeconds(2)) < 0, wake::toString);
      full.subList(1, full.size()).forEach(rig::admitAndDiscard);
      rig.admitAndOpen(last, ViewScope.CONFINED).close();
      remote.answer();
      remote.exit();
    }

    @Override
    public void close() {
      remote.close();
      rig.close();
    }
  }

  @Test
  void waitingWriterUsesUnderTwoPercentOfACoreAndWakesPromptly() {
    try (Waiting pool = Waiting.start(Kind.POOL);
        Waiting ring = Waiting.start(Kind.RING)) {
      Deadlines.pause(Duration.ofSeconds(2));
      List<String> windows = new ArrayList<>();
      boolean poolSmall = false;
      boolean ringSmall = false;
      for (int i = 0; i < 3 && !(poolSmall && ringSmall); i++) {
        Duration ofPool = pool.cpuTime();
        Duration ofRing = ring.cpuTime();
        Deadlines.pause(Duration.ofSeconds(5));
        ofPool = pool.cpuTime().minus(ofPool);
        ofRing = ring.cpuTime().minus(ofRing);
        windows.add("pool " + ofPool + " ring " + ofRing);
        poolSmall |= small(ofPool);
        ringSmall |= small(ofRing);
      }
      assertTrue(poolSmall && ringSmall, windows::toString);
      pool.goOn();
      ring.goOn();
    }
  }

  private static boolean small(Duration ofFiveSeconds) {
    return ofFiveSeconds.compareTo(Duration.ofMillis(100)) <= 0;
  }

  @ParameterizedTest
  @EnumSource
  void limitOf200MillisecondsEndsInTimeAndTheWriterGoesOnLater(Kind kind) {
    try (Rig rig = kind.rig(Duration.ofMillis(200));
        RemoteEndpoint remote = RemoteEndpoint.attach(rig.arena)) {
      List<Sent> full = remote.write(kind.units, kind.unitBytes);
      full.forEach(rig::admit);
      Opened held = kind == Kind.POOL ? rig.open(full.getFirst(), ViewScope.CONFINED) : null;
      String message = remote.callFailing(kind.write(1), AcquireTimeoutException.class);
      String expected = kind == Kind.POOL ? "confined lease" : "unitsNotCopiedOut=3";
      assertTrue(message.contains(expected), message);
      long waited = Long.parseLong(message.replaceAll(".*waitedMillis=(\\d+).*", "$1"));
      assertTrue(waited >= 200 && waited < 20_000, message);
      if (held == null) {
        rig.open(full.getFirst(), ViewScope.CONFINED).close();
      } else {
        held.close();
      }
      rig.admitAndOpen(remote.write(1, kind.unitBytes).getFirst(), ViewScope.CONFINED).close();
      full.stream().skip(1).forEach(sent -> rig.reader().discard(sent.receipt()));
      remote.exit();
    }
  }

  @ParameterizedTest
  @EnumSource
  void limitOfAgesNeitherOverflowsNorExpires(Kind kind) throws Exception {
    for (Duration ages :
        List.of(
            Duration.ofSeconds(Long.MAX_VALUE),
            Duration.ofDays(300 * 365),
            Duration.ofNanos(Long.MAX_VALUE))) {
      try (Rig rig = kind.rig(ages)) {
        List<Sent> full = rig.writeMany(kind.units, kind.unitBytes);
        FutureTask<Sent> waiting = Deadlines.start("writer", () -> rig.write(kind.unitBytes));
        Deadlines.pause(Duration.ofMillis(300));
        assertEquals(false, waiting.isDone());
        rig.admitAndDiscard(full.getFirst());
        assertEquals(kind.units, Deadlines.result(waiting).receipt().unit());
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void limitOfZeroFailsAtOnceInAnotherProcess(Kind kind) {
    try (Rig rig = kind.rig(Duration.ZERO);
        RemoteEndpoint remote = RemoteEndpoint.attach(rig.arena)) {
      List<Sent> full = remote.write(kind.units, kind.unitBytes);
      remote.callFailing(kind.write(1), AcquireTimeoutException.class);
      full.forEach(rig::admitAndDiscard);
      assertThrows(IllegalStateException.class, () -> rig.writer());
      remote.write(1, kind.unitBytes);
      remote.exit();
    }
  }
}
