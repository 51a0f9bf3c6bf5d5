package dev.holdfast.arena.internal.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.holdfast.arena.ArenaCorruptedException;
import dev.holdfast.arena.Backing;
import dev.holdfast.arena.SharedMemoryRingBuffer;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.arena.UnitReceipt;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.arena.internal.memory.ArenaLayout;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Stamps;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Numbers in shared memory that cannot be true end in a typed error and in nothing else. */
@ExtendWith(Leftovers.class)
final class DamagedRingTest {
  private static final int CAPACITY = 1000;

  @TempDir Path folder;

  private Path file() {
    return folder.resolve("ring");
  }

  private SharedMemoryRingBuffer ring() {
    return SharedMemoryRingBuffer.builder(CAPACITY)
        .acquireTimeout(Duration.ZERO)
        .backing(Backing.file(file()))
        .build();
  }

  private long peek(long offset) {
    try (FileChannel channel = FileChannel.open(file(), StandardOpenOption.READ)) {
      ByteBuffer word = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
      assertEquals(Long.BYTES, channel.read(word, offset));
      return word.getLong(0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void poke(long offset, long value) {
    try (FileChannel channel = FileChannel.open(file(), StandardOpenOption.WRITE)) {
      ByteBuffer word = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
      assertEquals(Long.BYTES, channel.write(word.putLong(0, value), offset));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void assertRefused(Runnable call) {
    ArenaCorruptedException e = assertThrows(ArenaCorruptedException.class, call::run);
    assertFalse(e.facts().isEmpty());
  }

  @Test
  void writerRefusesATailThatCannotBeTrue() {
    try (RingRig rig = new RingRig(ring())) {
      RingRig.Sent sent = rig.admit(rig.write(600));
      for (long tail : new long[] {-1, 601, Long.MAX_VALUE, Long.MIN_VALUE, 600 - CAPACITY - 1}) {
        poke(ArenaLayout.TAIL_OFFSET, tail);
        assertRefused(() -> rig.write(300));
      }
      poke(ArenaLayout.TAIL_OFFSET, 0);
      rig.open(rig.admit(rig.write(300)), ViewScope.CONFINED).lease().close();
      rig.open(sent, ViewScope.CONFINED).lease().close();
    }
  }

  @Test
  void endpointsAreNotOpenedOnCountersThatCannotBeTrueAndTheirClaimsGoBack() {
    try (RingRig rig = new RingRig(ring())) {
      rig.open(rig.admit(rig.write(600)), ViewScope.CONFINED).lease().close();
      rig.writer.close();
      rig.reader.close();
      for (long[] damage :
          new long[][] {
            {ArenaLayout.TAIL_OFFSET, 601},
            {ArenaLayout.TAIL_OFFSET, -1},
            {ArenaLayout.HEAD_OFFSET, 599},
            {ArenaLayout.HEAD_OFFSET, 600 + CAPACITY + 1},
            {ArenaLayout.RECLAIMED_OFFSET, 2},
            {ArenaLayout.RECLAIMED_OFFSET, -1},
            {ArenaLayout.PUBLISHED_OFFSET, 0},
            {ArenaLayout.PUBLISHED_OFFSET, Long.MIN_VALUE}
          }) {
        long right = peek(damage[0]);
        poke(damage[0], damage[1]);
        assertRefused(() -> rig.ring.openWriter());
        assertRefused(() -> rig.ring.openReader());
        poke(damage[0], right);
      }
      rig.ring.openWriter().close();
      rig.ring.openReader().close();
    }
  }

  @Test
  void readerRefusesSpansThatWereNotPublished() {
    try (RingRig rig = new RingRig(ring())) {
      RingRig.Sent sent = rig.write(600);
      UnitReceipt own = sent.receipt();
      for (long span : new long[] {-1, 601, CAPACITY + 1, Long.MAX_VALUE, Long.MIN_VALUE}) {
        UnitReceipt forged = new UnitReceipt(own.arenaId(), own.generation(), own.unit(), span);
        assertRefused(() -> rig.reader.admit(forged));
      }
      for (long head : new long[] {599, CAPACITY + 1, -1, Long.MAX_VALUE, Long.MIN_VALUE}) {
        poke(ArenaLayout.HEAD_OFFSET, head);
        assertRefused(() -> rig.admit(sent));
      }
      poke(ArenaLayout.HEAD_OFFSET, 600);
      rig.open(rig.admit(sent), ViewScope.CONFINED).lease().close();
      RingRig.Sent second = rig.write(100);
      for (long head : new long[] {599, 600 + CAPACITY + 1, Long.MAX_VALUE, Long.MIN_VALUE}) {
        poke(ArenaLayout.HEAD_OFFSET, head);
        assertRefused(() -> rig.admit(second));
      }
      poke(ArenaLayout.HEAD_OFFSET, 700);
      rig.open(rig.admit(second), ViewScope.CONFINED).lease().close();
    }
  }

  @Test
  void readerRefusesAGenerationThatCannotBeTrue() {
    try (RingRig rig = new RingRig(ring())) {
      rig.open(rig.admit(rig.write(600)), ViewScope.CONFINED).lease().close();
      RingRig.Sent sent = rig.write(100);
      for (long[] start :
          new long[][] {{0, 600}, {3, 700}, {1, 599}, {1, 701}, {1, -1}, {2, Long.MAX_VALUE}}) {
        poke(ArenaLayout.GENERATION_START_OFFSET, start[0]);
        poke(ArenaLayout.GENERATION_HEAD_OFFSET, start[1]);
        poke(ArenaLayout.GENERATION_OFFSET, 1);
        assertRefused(() -> rig.admit(sent));
        assertRefused(() -> rig.reader.reset());
      }
      poke(ArenaLayout.GENERATION_OFFSET, 0);
      rig.open(rig.admit(sent), ViewScope.CONFINED).lease().close();
    }
  }

  @Test
  void readerElsewhereLearnsOfANewWriterAndGivesTheVoidBytesBack() {
    try (RingRig rig = new RingRig(ring())) {
      RingRig.Sent held = rig.admit(rig.write(600));
      RingRig.Sent lost = rig.write(100);
      poke(ArenaLayout.HEAD_OFFSET, 950);
      poke(ArenaLayout.GENERATION_HEAD_OFFSET, 950);
      poke(ArenaLayout.GENERATION_START_OFFSET, 2);
      poke(ArenaLayout.GENERATION_OFFSET, 1);
      rig.reader.reset();
      assertRefused(() -> rig.admit(lost));
      assertEquals(0, rig.ring.stats().reclaimed());
      rig.open(held, ViewScope.CONFINED).lease().close();
      assertEquals(2, rig.ring.stats().reclaimed());
      assertEquals(950, peek(ArenaLayout.TAIL_OFFSET));
      rig.writer.close();
      try (var next = rig.ring.openWriter()) {
        next.beginUnit();
        assertEquals(950, next.writeBinary(Stamps.payload(CAPACITY, 2, 0)).offset());
        rig.reader.admit(next.commitUnit());
      }
    }
  }

  @Test
  void ringAndPoolAreToldApart() {
    try (RingRig rig = new RingRig(ring())) {
      assertThrows(ArenaCorruptedException.class, () -> SharedMemorySegmentPool.attach(file()));
      SharedMemoryRingBuffer attached = SharedMemoryRingBuffer.attach(file());
      assertEquals(rig.ring.arenaId(), attached.arenaId());
      assertEquals(CAPACITY, attached.capacity());
      attached.close();
    }
    try (SharedMemorySegmentPool pool =
        SharedMemorySegmentPool.builder(100, 2).backing(Backing.file(file())).build()) {
      assertThrows(ArenaCorruptedException.class, () -> SharedMemoryRingBuffer.attach(file()));
      pool.unlink();
    }
  }
}
