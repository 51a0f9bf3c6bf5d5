package dev.holdfast.acceptance.arena;

import static dev.holdfast.arena.ViewScope.CONFINED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.holdfast.arena.OpenUnit;
import dev.holdfast.arena.Placement;
import dev.holdfast.arena.SharedMemoryRingBuffer;
import dev.holdfast.arena.UnitReceipt;
import dev.holdfast.arena.UnitTooLargeException;
import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.SubprocessOptions;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Parent;
import dev.holdfast.testkit.ProcSelf;
import dev.holdfast.testkit.Stamps;
import dev.holdfast.testkit.ZeroPages;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Rings and units beyond the numbers of an int. */
@ExtendWith(Leftovers.class)
final class LargeRingTest {
  private static final long GIB = 1L << 30;

  // R75
  @Test
  void ringOf5GibCarriesUnitsPastEveryEdgeOfAnInt() {
    ProcSelf.assumeMemory(12 * GIB);
    run(BeyondInt.class, "-Xmx64m");
  }

  // R76
  @Test
  void copyOf1GibNeedsNoHeapAndAnArrayOfItFailsInItsCallAlone() {
    ProcSelf.assumeMemory(6 * GIB);
    run(SmallHeap.class, "-Xmx256m");
  }

  // R76
  @Test
  void anArrayThatTheHeapCannotHoldIsLostAloneAndTheRunGoesOn() {
    ProcSelf.assumeMemory(2 * GIB);
    run(BeyondHeap.class, "-Xmx64m");
  }

  private static void run(Class<?> main, String heap) {
    try (ChildJvm child = ChildJvm.of(main).jvmArgs(heap).optimizing().start()) {
      child.awaitLine("DONE", Duration.ofMinutes(15));
      child.awaitSuccess();
    }
  }

  private static UnitReceipt write(Rig rig, List<Placement> placements, MemorySegment... parts) {
    rig.writer().beginUnit();
    for (MemorySegment part : parts) {
      placements.add(rig.writer().writeBinary(part));
    }
    return rig.writer().commitUnit();
  }

  /** Units of 2 GiB less one byte, 2 GiB, and 8 bytes more, whose places pass 2 and 4 GiB. */
  @SuppressWarnings("restricted") // a segment that is too long needs no memory
  static final class BeyondInt {
    private BeyondInt() {}

    public static void main(String[] arguments) {
      try (Rig rig = new Rig(new SharedMemoryRingBuffer(5 * GIB))) {
        MemorySegment source = ZeroPages.of(2 * GIB + 8);
        long[] sizes = {2 * GIB - 1, 2 * GIB, 2 * GIB + 8};
        for (int unit = 0; unit < 3; unit++) {
          MemorySegment part = source.asSlice(0, sizes[unit % 3]);
          Stamps.fillSparse(part, unit, 75);
          long half = unit != 1 ? part.byteSize() : GIB;
          List<Placement> placements = new ArrayList<>();
          UnitReceipt receipt = write(rig, placements, part.asSlice(0, half), part.asSlice(half));
          assertEquals(part.byteSize(), receipt.span());
          rig.reader().admit(receipt);
          OpenUnit open = rig.reader().beginUnit(receipt, CONFINED);
          long from = 0;
          for (Placement placement : placements) {
            MemorySegment view = open.readBinary(placement.offset(), placement.byteSize());
            assertEquals(-1, view.mismatch(part.asSlice(from, placement.byteSize())));
            from += placement.byteSize();
          }
          open.endUnit(List.of()).close();
          Parent.say("unit " + unit + " at " + placements);
        }
        rig.writer().beginUnit();
        MemorySegment huge = source.reinterpret(5 * GIB + 1); // refused before it is read
        assertThrows(UnitTooLargeException.class, () -> rig.writer().writeBinary(huge));
        rig.writer().abortUnit();
      }
      Parent.say("DONE");
    }
  }

  /** Is sent an array of 200 MiB between two numbers, with a heap of 64 MiB. */
  static final class BeyondHeap {
    private static final int BYTES = 200 << 20;

    private BeyondHeap() {}

    public static void main(String[] arguments) {
      SubprocessOptions options =
          SubprocessOptions.builder()
              .arena(new SharedMemoryRingBuffer(BYTES + 64))
              .jvmArgs("-Xmx1g", "-XX:+UseSerialGC")
              .build();
      try (SubprocessIterable<Object> items =
          Subprocess.iterate(_ -> List.of(1, new byte[BYTES], 2), options)) {
        Iterator<Object> iterator = items.iterator();
        assertEquals(1, iterator.next());
        assertThrows(OutOfMemoryError.class, iterator::next);
        assertEquals(2, iterator.next());
        assertFalse(iterator.hasNext());
        assertEquals(3, items.arena().orElseThrow().stats().reclaimed());
      }
      Parent.say("DONE");
    }
  }

  /** Receives 1 GiB with a heap of 256 MiB. */
  static final class SmallHeap {
    private SmallHeap() {}

    public static void main(String[] arguments) {
      try (Rig rig = new Rig(new SharedMemoryRingBuffer(GIB + 1))) {
        MemorySegment source = ZeroPages.of(GIB);
        for (int unit = 0; unit < 2; unit++) {
          Stamps.fillSparse(source, unit, 76);
          List<Placement> placements = new ArrayList<>();
          UnitReceipt receipt = write(rig, placements, source);
          rig.reader().admit(receipt);
          OpenUnit open = rig.reader().beginUnit(receipt, CONFINED);
          MemorySegment looked = open.peekBinary(placements.getFirst().offset(), GIB);
          assertThrows(OutOfMemoryError.class, () -> looked.toArray(ValueLayout.JAVA_BYTE));
          MemorySegment view = open.readBinary(placements.getFirst().offset(), GIB);
          try (var lease = open.endUnit(List.of())) {
            Stamps.verifySparse(view, unit, 76);
            assertEquals(CONFINED, lease.scope());
          }
          assertEquals(unit + 1, rig.reclaimed());
        }
      }
      Parent.say("DONE");
    }
  }
}
