package dev.holdfast.acceptance.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.AcquireTimeoutException;
import dev.holdfast.arena.ArenaCorruptedException;
import dev.holdfast.arena.ArenaReader;
import dev.holdfast.arena.ArenaStats;
import dev.holdfast.arena.ArenaWriter;
import dev.holdfast.arena.OpenUnit;
import dev.holdfast.arena.Placement;
import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.arena.SharedMemoryRingBuffer;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.arena.Side;
import dev.holdfast.arena.UnitLease;
import dev.holdfast.arena.UnitReceipt;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Rounds;
import dev.holdfast.testkit.SerialText;
import dev.holdfast.testkit.Stamps;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Processes that write or read at random are killed at random moments, again and again over one
 * arena, and their sides are taken over: whatever the killed one had done, the counters fit, what
 * was received is right, what is held stays right, and the next process goes on.
 */
@ExtendWith(Leftovers.class)
@Timeout(600)
final class KilledPeersTest {
  private static final int LARGEST = 3000;
  private static final int SEGMENTS = 5;
  private static final int CAPACITY = 3 * LARGEST + 77;
  private static final Duration LONG = Duration.ofMinutes(10);
  private static final Duration SHORT = Duration.ofMillis(200);

  private record Held(UnitLease lease, MemorySegment view, long unit) {
    void verify() {
      Stamps.verify(view, unit, 0);
    }
  }

  private final List<Held> held = new ArrayList<>();
  private int kills;
  private long received;
  private long lost;

  private static SharedMemoryArena pool(Duration acquireTimeout) {
    return SharedMemorySegmentPool.builder(LARGEST, SEGMENTS)
        .acquireTimeout(acquireTimeout)
        .build();
  }

  private static SharedMemoryArena ring(Duration acquireTimeout) {
    return SharedMemoryRingBuffer.builder(CAPACITY).acquireTimeout(acquireTimeout).build();
  }

  @Test
  void poolOutlivesItsWriters() {
    killWriters("pool", pool(LONG));
  }

  @Test
  void ringOutlivesItsWriters() {
    killWriters("ring", ring(LONG));
  }

  @Test
  void poolOutlivesItsReaders() {
    killReaders("pool", pool(SHORT), LARGEST);
  }

  @Test
  void ringOutlivesItsReaders() {
    killReaders("ring", ring(SHORT), CAPACITY);
  }

  private static int rounds() {
    return Rounds.of(200) / 5;
  }

  private static ChildJvm child(String... arguments) {
    ChildJvm child =
        ChildJvm.of(PeerMain.class)
            .jvmArgs("-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
            .args(arguments)
            .start();
    child.awaitLine("READY");
    return child;
  }

  private void killWriters(String what, SharedMemoryArena arena) {
    long seed = Seeds.next();
    Random random = new Random(seed);
    try (arena;
        ArenaReader reader = arena.openReader()) {
      int rounds = rounds();
      for (int round = 0; round < rounds; round++) {
        oneWriter(arena, reader, random, round);
      }
      goesOn(arena, reader);
    } finally {
      held.clear();
    }
    arena.unlink();
    report(what + " writers", seed);
  }

  private void oneWriter(SharedMemoryArena arena, ArenaReader reader, Random random, int round) {
    String seed = String.valueOf(random.nextLong());
    try (ChildJvm writer = child("write", SerialText.of(arena), seed, String.valueOf(LARGEST))) {
      int lines = random.nextInt(40);
      for (int i = 0; i < lines; i++) {
        receive(reader, writer.awaitLine(""), random, round);
      }
      assertThrows(IllegalStateException.class, () -> arena.takeOver(Side.WRITER));
      writer.killAndAwait();
      kills++;
      drain(arena, reader, writer, random, round);
    }
    held.forEach(Held::verify);
    while (held.size() > SEGMENTS / 2) {
      held.removeFirst().lease().close();
    }
  }

  /** Every whole record is read first; units without one are void. */
  private void drain(
      SharedMemoryArena arena, ArenaReader reader, ChildJvm writer, Random random, int round) {
    for (String line : writer.output().split("\n", -1)) {
      Wire.Received unit = Wire.unit(line);
      if (unit != null && unit.receipt().unit() >= received) {
        receive(reader, line, random, round);
      }
    }
    long published = arena.stats().published();
    assertTrue(published >= received && published - received <= SEGMENTS, "a few are lost");
    lost += published - received;
    UnitReceipt late = new UnitReceipt(arena.arenaId(), round, received, 0);
    arena.takeOver(Side.WRITER);
    arena.takeOver(Side.WRITER);
    assertThrows(ArenaCorruptedException.class, () -> reader.admit(late));
    received = published;
    assertEquals(published, arena.stats().published());
  }

  private void receive(ArenaReader reader, String line, Random random, int round) {
    Wire.Received unit = Wire.unit(line);
    if (unit == null) {
      return;
    }
    assertEquals(received, unit.receipt().unit());
    assertEquals(round, unit.receipt().generation());
    received++;
    reader.admit(unit.receipt());
    if (random.nextInt(4) == 0 || unit.placement().byteSize() == 0) {
      reader.discard(unit.receipt());
    } else {
      open(reader, unit, random);
    }
    while (!held.isEmpty()
        && (random.nextInt(6) == 0 || received - held.getFirst().unit() >= SEGMENTS - 1)) {
      held.removeFirst().lease().close(); // in time, or the writer never goes on
    }
  }

  private void open(ArenaReader reader, Wire.Received unit, Random random) {
    boolean keep = held.size() < SEGMENTS / 2 && random.nextInt(4) == 0;
    OpenUnit open = reader.beginUnit(unit.receipt(), ViewScope.CONFINED);
    MemorySegment view = open.readBinary(unit.placement().offset(), unit.placement().byteSize());
    Held one = new Held(open.endUnit(List.of()), view, unit.receipt().unit());
    one.verify();
    if (keep) {
      held.add(one);
    } else {
      one.lease().close();
    }
  }

  /** A writer of this process has all of the space. */
  private void goesOn(SharedMemoryArena arena, ArenaReader reader) {
    held.forEach(Held::verify);
    held.forEach(one -> one.lease().close());
    assertEquals(arena.stats().published(), arena.stats().reclaimed());
    try (ArenaWriter writer = arena.openWriter()) {
      for (int i = 0; i < 3 * SEGMENTS; i++) {
        writer.beginUnit();
        writer.writeBinary(Stamps.payload(LARGEST, writer.published(), 0));
        UnitReceipt receipt = writer.commitUnit();
        assertEquals(received, receipt.unit());
        received++;
        reader.admit(receipt);
        reader.discard(receipt);
      }
    }
  }

  private void killReaders(String what, SharedMemoryArena arena, int all) {
    long seed = Seeds.next();
    Random random = new Random(seed);
    try (arena;
        ArenaWriter writer = arena.openWriter()) {
      int rounds = rounds();
      for (int round = 0; round < rounds; round++) {
        oneReader(arena, writer, random, round, all);
      }
    }
    arena.unlink();
    report(what + " readers", seed);
  }

  private void oneReader(
      SharedMemoryArena arena, ArenaWriter writer, Random random, int round, int all) {
    try (ChildJvm reader = child("read", SerialText.of(arena), String.valueOf(random.nextLong()))) {
      int units = random.nextInt(40);
      for (int i = 0; i < units && send(writer, reader, random, round); i++) {
        if (random.nextInt(3) == 0) {
          Deadlines.assertEventually(
              "something is admitted or all is", () -> reader.output().contains("ADMITTED"));
        }
      }
      assertThrows(IllegalStateException.class, () -> arena.takeOver(Side.READER));
      reader.killAndAwait();
      kills++;
      assertEquals("", reader.errorOutput());
      lost += arena.stats().published() - arena.stats().reclaimed();
      arena.takeOver(Side.READER);
      ArenaStats after = arena.stats();
      assertEquals(after.published(), after.reclaimed());
      writer.beginUnit();
      writer.writeBinary(Stamps.payload(all, 0, 0)); // all of the space is there again
      writer.abortUnit();
    }
  }

  /** Returns false when the reader keeps everything, so that there is no space. */
  private boolean send(ArenaWriter writer, ChildJvm reader, Random random, int round) {
    try {
      writer.beginUnit();
      MemorySegment bytes = Stamps.payload(1 + random.nextInt(LARGEST - 1), writer.published(), 0);
      Placement placement = writer.writeBinary(bytes);
      UnitReceipt receipt = writer.commitUnit();
      assertEquals(round, receipt.generation());
      assertEquals(received, receipt.unit());
      received++;
      reader.send(Wire.ofUnit(receipt, placement));
      return true;
    } catch (AcquireTimeoutException e) {
      writer.abortUnit();
      return false;
    }
  }

  private void report(String what, long seed) {
    assertTrue(received > 0);
    System.out.printf(
        "%s: seed %d, kills %d, units %d, not delivered %d%n", what, seed, kills, received, lost);
  }
}
