package dev.holdfast.arena.internal.ring;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.holdfast.arena.AcquireTimeoutException;
import dev.holdfast.arena.OpenUnit;
import dev.holdfast.arena.Placement;
import dev.holdfast.arena.StorageHold;
import dev.holdfast.arena.UnitLease;
import dev.holdfast.arena.UnitReceipt;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Rounds;
import dev.holdfast.testkit.Seeds;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Every place where a unit can begin, times every size that it can have. R54 */
@ExtendWith(Leftovers.class)
final class RingExhaustiveTest {
  private static final int LARGEST = 1 << 16;
  private static final int SOURCE_BYTES = 2 * LARGEST;
  private static final MemorySegment SOURCE = randomBytes();
  private static final MemorySegment POISON =
      MemorySegment.ofArray(new byte[LARGEST]).fill((byte) 0xff).asReadOnly();

  private static MemorySegment randomBytes() {
    byte[] bytes = new byte[SOURCE_BYTES];
    new Random(54).nextBytes(bytes);
    return MemorySegment.ofArray(bytes).asReadOnly();
  }

  @Test
  void everyStartTimesEverySizeInARingOf64() {
    passAll(64, 64 * 65);
  }

  @Test
  void everyStartTimesEverySizeInARingOf100() {
    passAll(100, 100 * 101);
  }

  @Test
  void everyStartTimesEverySizeInARingOf4096() {
    passAll(4096, Rounds.of(4096 * 4097));
  }

  @Test
  void everyStartTimesEverySizeInARingOf4097() {
    passAll(4097, Rounds.of(4097 * 4098));
  }

  /**
   * There are 4,295,032,832 pairs: some of them, and every start with the sizes around its edges.
   */
  @Test
  void everyStartTimesTheSizesAtTheEdgesInARingOf65536() {
    int capacity = 65536;
    passAll(capacity, Rounds.of(500_000));
    int step = capacity / Rounds.of(capacity);
    try (RingRig rig = RingRig.of(capacity)) {
      int head = 0;
      for (int start = 0; start < capacity; start += step) {
        int untilEnd = capacity - start;
        for (int size :
            new int[] {0, 1, untilEnd - 1, untilEnd, untilEnd + 1, capacity - 1, capacity}) {
          if (size <= capacity) {
            head = passFrom(rig, head, start, size, capacity);
          }
        }
      }
    }
  }

  /** Moves to a start and passes one unit; returns where that ends. */
  private static int passFrom(RingRig rig, int head, int start, int size, int capacity) {
    int gap = Math.floorMod(start - head, capacity);
    if (gap > 0) {
      fill(rig, gap);
    }
    passOne(rig, start, size);
    return (start + size) % capacity;
  }

  /** Goes through all pairs, or through as many as wanted, which lie evenly among them. */
  private static void passAll(int capacity, int rounds) {
    long pairs = capacity * (capacity + 1L);
    long step = Math.max(1, pairs / rounds);
    try (RingRig rig = RingRig.of(capacity)) {
      int head = 0;
      for (long pair = 0; pair < pairs; pair += step) {
        int start = (int) (pair / (capacity + 1));
        int size = (int) (pair % (capacity + 1));
        head = passFrom(rig, head, start, size, capacity);
      }
      assertEquals(rig.ring.stats().published(), rig.ring.stats().reclaimed());
    }
  }

  private static void fill(RingRig rig, int byteSize) {
    rig.writer.beginUnit();
    Placement placement = rig.writer.writeBinary(POISON.asSlice(0, byteSize));
    UnitReceipt receipt = rig.writer.commitUnit();
    rig.reader.admit(receipt);
    rig.reader.discard(receipt);
    assertEquals(byteSize, placement.byteSize());
  }

  private static void passOne(RingRig rig, int start, int size) {
    MemorySegment source = SOURCE.asSlice((31 * start + size) % (SOURCE_BYTES - LARGEST), size);
    rig.writer.beginUnit();
    Placement placement = rig.writer.writeBinary(source);
    UnitReceipt receipt = rig.writer.commitUnit();
    if (placement.offset() != start || receipt.span() != size) {
      throw new AssertionError(placement + " " + receipt + " expected start " + start);
    }
    rig.reader.admit(receipt);
    OpenUnit open = rig.reader.beginUnit(receipt, ViewScope.CONFINED);
    boolean copied = (receipt.unit() & 2) == 0; // half of them, whichever pairs are passed
    MemorySegment bytes = copied ? open.readBinary(start, size) : open.peekBinary(start, size);
    long wrong = bytes.mismatch(source);
    try (UnitLease lease = open.endUnit(List.of())) {
      if (wrong >= 0) {
        throw new AssertionError(
            "start %d size %d differs at %d, %s".formatted(start, size, wrong, lease.state()));
      }
    }
  }

  @Test
  void unitsOfRandomSizesPassThroughRingsOfOddSizes() {
    int rounds = Rounds.of(1_000_000);
    Random random = new Random(Seeds.next());
    int[] capacities = {64, 100, 4096, 4097, 65536};
    for (int capacity : capacities) {
      try (RingRig rig = RingRig.of(capacity)) {
        for (int i = 0; i < rounds / capacities.length + 1; i++) {
          int first = random.nextInt(capacity + 1);
          int second = random.nextInt(capacity - first + 1);
          RingRig.Sent sent = rig.admit(rig.write(first, second, capacity - first - second));
          if (random.nextBoolean()) {
            rig.open(sent, ViewScope.CONFINED).lease().close();
          } else {
            rig.peek(sent);
          }
        }
      }
    }
  }

  @Test
  void exactlyTheCapacityFitsAgainAndAgainAndShortUnitsShowNothingOfLongOnes() { // R55
    for (int capacity : new int[] {1, 2, 64, 100, 4097}) {
      try (RingRig rig = RingRig.of(capacity)) {
        for (int i = 0; i < 3 * capacity; i++) {
          fill(rig, capacity);
          byte[] filler = new byte[1 + i % capacity];
          rig.writer.beginUnit();
          Placement placement = rig.writer.writeBinary(MemorySegment.ofArray(filler));
          UnitReceipt receipt = rig.writer.commitUnit();
          rig.reader.admit(receipt);
          OpenUnit open = rig.reader.beginUnit(receipt, ViewScope.CONFINED);
          MemorySegment view = open.readBinary(placement.offset(), placement.byteSize());
          assertEquals(-1, view.mismatch(MemorySegment.ofArray(filler)));
          UnitLease lease = open.endUnit(List.of());
          try (StorageHold hold = lease.hold()) {
            assertArrayEquals(filler, hold.segment().toArray(ValueLayout.JAVA_BYTE));
          }
          lease.close();
        }
      }
    }
  }

  @Test
  void severalUnitsFillTheRingToItsLastByte() { // R55
    for (int capacity : new int[] {64, 100, 4097}) {
      try (RingRig rig = RingRig.of(capacity)) {
        for (int first = 0; first <= capacity; first += 3) {
          RingRig.Sent one = rig.write(first);
          RingRig.Sent two = rig.write(capacity - first);
          RingRig.Sent none = rig.write();
          assertThrows(AcquireTimeoutException.class, () -> rig.write(1));
          rig.open(rig.admit(one), ViewScope.CONFINED).lease().close();
          if (first > 0) {
            RingRig.Sent refilled = rig.write(first);
            rig.open(rig.admit(two), ViewScope.CONFINED).lease().close();
            rig.open(rig.admit(none), ViewScope.CONFINED).lease().close();
            rig.open(rig.admit(refilled), ViewScope.CONFINED).lease().close();
          } else {
            rig.open(rig.admit(two), ViewScope.CONFINED).lease().close();
            rig.open(rig.admit(none), ViewScope.CONFINED).lease().close();
          }
        }
      }
    }
  }
}
