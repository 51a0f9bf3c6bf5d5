package dev.holdfast.acceptance.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.acceptance.fire.Ahead;
import dev.holdfast.acceptance.fire.CrashMatrix;
import dev.holdfast.acceptance.fire.Peer;
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
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Seeds;
import dev.holdfast.testkit.Stamps;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Processes that write or read at random are killed at every pause point and at random moments,
 * again and again over one arena, and their sides are taken over: whatever the killed one had done,
 * the counters fit, what was received is right, what is held stays right, and the next process goes
 * on. R34
 */
@ExtendWith(Leftovers.class)
@Timeout(1800)
public final class KilledPeersTest {
  private static final int LARGEST = 70_000;
  private static final int SEGMENTS = 5;
  private static final int CAPACITY = 3 * LARGEST + 77;
  private static final Duration LONG = Duration.ofMinutes(10);
  private static final Duration SHORT = Duration.ofMillis(100);

  /** Where the space is so scarce that the writer waits. */
  private static final String NO_SPACE = "WAITING_FOR_SPACE";

  private static final List<String> OF_POOL_WRITERS =
      List.of(Peer.ANY_MOMENT, "UNIT_BEGUN", "BINARY_HALF_COPIED", "UNIT_COPIED", NO_SPACE);
  private static final List<String> OF_RING_WRITERS =
      List.of(
          Peer.ANY_MOMENT,
          "UNIT_BEGUN",
          "BINARY_HALF_COPIED",
          "UNIT_COPIED",
          "BETWEEN_HEAD_AND_PUBLISHED",
          NO_SPACE);
  private static final List<String> OF_READERS =
      List.of(Peer.ANY_MOMENT, "UNIT_ADMITTED", "UNIT_OPENED", "UNIT_RELEASED");

  /** Returns where writers and readers are killed. */
  public static Stream<String> points() {
    return Stream.of(OF_POOL_WRITERS, OF_RING_WRITERS, OF_READERS).flatMap(List::stream);
  }

  private record Held(UnitLease lease, MemorySegment view, long unit) {
    void verify() {
      Stamps.verify(view, unit, 0);
    }
  }

  private final List<Held> held = new ArrayList<>();
  private long received;
  private long lost;

  /** The last line of a writer when its kill has cut it. */
  private @Nullable String cut;

  private static SharedMemoryArena pool(Duration acquireTimeout) {
    return SharedMemorySegmentPool.builder(LARGEST, SEGMENTS)
        .acquireTimeout(acquireTimeout)
        .build();
  }

  private static SharedMemoryArena ring(Duration acquireTimeout) {
    return SharedMemoryRingBuffer.builder(CAPACITY).acquireTimeout(acquireTimeout).build();
  }

  @Test
  void poolOutlivesItsWriters() throws Exception {
    killWriters("writers of a pool", pool(LONG), OF_POOL_WRITERS);
  }

  @Test
  void ringOutlivesItsWriters() throws Exception {
    killWriters("writers of a ring", ring(LONG), OF_RING_WRITERS);
  }

  @Test
  void poolOutlivesItsReaders() throws Exception {
    killReaders("readers of a pool", pool(SHORT), LARGEST);
  }

  @Test
  void ringOutlivesItsReaders() throws Exception {
    killReaders("readers of a ring", ring(SHORT), CAPACITY);
  }

  private void killWriters(String what, SharedMemoryArena arena, List<String> points)
      throws Exception {
    long seed = Seeds.next();
    int rounds = CrashMatrix.rounds(10);
    try (arena;
        ArenaReader reader = arena.openReader();
        Ahead<Peer> writers =
            new Ahead<>(
                rounds,
                round ->
                    Peer.start(
                        PeerMain.class,
                        points.get(round % points.size()),
                        CrashMatrix.random(seed, round),
                        "write",
                        arena,
                        String.valueOf(LARGEST)))) {
      CrashMatrix.run(
          what,
          seed,
          rounds,
          (random, round) -> {
            try (Peer writer = writers.take()) {
              oneWriter(arena, reader, writer, random, round);
            }
          });
      goesOn(arena, reader);
    } finally {
      held.clear();
    }
    arena.unlink();
    report();
  }

  private void oneWriter(
      SharedMemoryArena arena, ArenaReader reader, Peer writer, RandomGenerator random, int round) {
    List<String> unread = new ArrayList<>();
    cut = null;
    writer.go();
    int wanted = writer.endsItself() ? Integer.MAX_VALUE : random.nextInt(40);
    for (int i = 0; i < wanted; i++) {
      Optional<String> line = writer.child().lineOrEnd();
      if (line.isEmpty()) {
        break;
      }
      if (writer.point().equals(NO_SPACE)) {
        unread.add(line.get());
      } else {
        receive(reader, line.get(), random, round);
      }
    }
    if (!writer.endsItself()) {
      assertThrows(IllegalStateException.class, () -> arena.takeOver(Side.WRITER));
    }
    writer.awaitDeath();
    writer.restOfLines().forEach(unread::add);
    unread.forEach(line -> receive(reader, line, random, round));
    takeOver(arena, reader, round);
    held.forEach(Held::verify);
    while (held.size() > SEGMENTS / 2) {
      held.removeFirst().lease().close();
    }
  }

  /** Every whole record was read before; a unit without one is void. */
  private void takeOver(SharedMemoryArena arena, ArenaReader reader, int round) {
    long published = arena.stats().published();
    assertTrue(
        published == received || published == received + 1,
        () ->
            "one at most has no record: published=%d received=%d cut=%s"
                .formatted(published, received, cut));
    lost += published - received;
    UnitReceipt late = new UnitReceipt(arena.arenaId(), round, received, 0);
    arena.takeOver(Side.WRITER);
    arena.takeOver(Side.WRITER);
    assertThrows(ArenaCorruptedException.class, () -> reader.admit(late));
    received = published;
    assertEquals(published, arena.stats().published());
  }

  private void receive(ArenaReader reader, String line, RandomGenerator random, int round) {
    assertNull(cut, "a line that does not parse is not the last one");
    Wire.Received unit = Wire.unit(line);
    if (unit == null) {
      cut = line;
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

  private void open(ArenaReader reader, Wire.Received unit, RandomGenerator random) {
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

  private void killReaders(String what, SharedMemoryArena arena, int all) throws Exception {
    long seed = Seeds.next();
    int rounds = CrashMatrix.rounds(5);
    try (arena;
        ArenaWriter writer = arena.openWriter();
        Ahead<Peer> readers =
            new Ahead<>(
                rounds,
                round ->
                    Peer.start(
                        PeerMain.class,
                        OF_READERS.get(round % OF_READERS.size()),
                        CrashMatrix.random(seed, round),
                        "read",
                        arena))) {
      CrashMatrix.run(
          what,
          seed,
          rounds,
          (random, round) -> {
            try (Peer reader = readers.take()) {
              oneReader(arena, writer, reader, random, round, all);
            }
          });
    }
    arena.unlink();
    report();
  }

  private void oneReader(
      SharedMemoryArena arena,
      ArenaWriter writer,
      Peer reader,
      RandomGenerator random,
      int round,
      int all) {
    reader.go();
    int units = reader.endsItself() ? Integer.MAX_VALUE : random.nextInt(40);
    for (int i = 0; i < units && send(writer, reader, random, round); i++) {
      if (random.nextInt(3) == 0 && !awaitAdmitted(reader)) {
        break;
      }
    }
    if (!reader.endsItself()) {
      assertThrows(IllegalStateException.class, () -> arena.takeOver(Side.READER));
    }
    reader.awaitDeath();
    lost += arena.stats().published() - arena.stats().reclaimed();
    arena.takeOver(Side.READER);
    ArenaStats after = arena.stats();
    assertEquals(after.published(), after.reclaimed());
    writer.beginUnit();
    writer.writeBinary(Stamps.payload(all, 0, 0)); // all of the space is there again
    writer.abortUnit();
  }

  /** Returns false when the reader has ended. */
  private static boolean awaitAdmitted(Peer reader) {
    while (true) {
      Optional<String> line = reader.child().lineOrEnd();
      if (line.isEmpty() || line.get().startsWith("ADMITTED")) {
        return line.isPresent();
      }
    }
  }

  /** Returns false when the reader keeps everything, so that there is no space, or has ended. */
  private boolean send(ArenaWriter writer, Peer reader, RandomGenerator random, int round) {
    try {
      writer.beginUnit();
      int size = 1 + random.nextInt(LARGEST / 4);
      Placement placement = writer.writeBinary(Stamps.payload(size, writer.published(), 0));
      UnitReceipt receipt = writer.commitUnit();
      assertEquals(round, receipt.generation());
      assertEquals(received, receipt.unit());
      received++;
      return reader.child().offer(Wire.ofUnit(receipt, placement));
    } catch (AcquireTimeoutException e) {
      writer.abortUnit();
      return false;
    }
  }

  private void report() {
    assertTrue(received > 0);
    System.out.printf("units %d, not delivered %d%n", received, lost);
  }
}
