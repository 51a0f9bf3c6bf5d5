package dev.holdfast.acceptance.capacity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.ArenaReader;
import dev.holdfast.arena.ArenaWriter;
import dev.holdfast.arena.OpenUnit;
import dev.holdfast.arena.Placement;
import dev.holdfast.arena.SharedMemoryRingBuffer;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.arena.UnitLease;
import dev.holdfast.arena.UnitReceipt;
import dev.holdfast.arena.UnitTooLargeException;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.arena.payload.ElementType;
import dev.holdfast.arena.payload.Tensor;
import dev.holdfast.loader.Lease;
import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.SubprocessOptions;
import dev.holdfast.loader.WorkerFailedException;
import dev.holdfast.loader.WorkerSource;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.ProcSelf;
import dev.holdfast.testkit.Rounds;
import dev.holdfast.testkit.Stamps;
import dev.holdfast.testkit.ZeroPages;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Segments and units beyond what an int counts, with small heaps. */
@ExtendWith(Leftovers.class)
@Timeout(600)
final class LargePoolTest {
  private static final long GIB = 1L << 30;

  private static void run(Class<?> main, String... arguments) {
    run(ChildJvm.of(main).jvmArgs("-Xmx256m").args(arguments));
  }

  private static void run(ChildJvm.Builder builder) {
    try (ChildJvm child = builder.optimizing().jvmArgs("-XX:+UseSerialGC").start()) {
      child.awaitSuccess(Duration.ofMinutes(8));
    }
  }

  // R75
  @Test
  void segmentOf3GibKeepsTheBytesAroundEveryEdgeOfAnInt() throws Exception {
    ProcSelf.assumeMemory(7 * GIB);
    run(OneLarge.class);
  }

  /** All sizes in both arenas in the whole run, else the largest in a pool. */
  // R75
  @Test
  @Timeout(1200)
  void unitOfSeveralArraysOf1GibArrivesWhole() {
    ProcSelf.assumeMemory(9 * GIB);
    String units = Rounds.whole() ? "3" : "1";
    for (String kind : Rounds.whole() ? List.of("pool", "ring") : List.of("pool")) {
      run(ChildJvm.of(SeveralArrays.class).jvmArgs(SeveralArrays.HEAP).args(kind, units));
    }
  }

  // R75
  @Test
  void threeSegmentsOf1GibKeepTheirUnitsApart() throws Exception {
    ProcSelf.assumeMemory(6 * GIB);
    run(ThreeLarge.class);
  }

  // R76
  @Test
  void viewOf1GibNeedsNoHeapAndWhatAnArrayCannotHoldIsATypedError() throws Exception {
    ProcSelf.assumeMemory(6 * GIB);
    run(SmallHeap.class);
  }

  // R76
  @ParameterizedTest
  @EnumSource
  void largeRecordArrivesOrFailsInItsPlaceAndTheRunCanBeClosed(Heaps heaps) {
    ProcSelf.assumeMemory(Rounds.whole() ? 15 * GIB : 2 * GIB);
    String pieces = Rounds.whole() ? "1611" : "200";
    String large = Rounds.whole() ? "-Xmx7g" : "-Xmx1g";
    String itemAlone = Rounds.whole() ? "-Xmx2300m" : "-Xmx256m";
    run(
        ChildJvm.of(LargeRecord.class)
            .jvmArgs(heaps == Heaps.SMALL_PARENT ? "-Xmx256m" : large)
            .args(heaps.name(), pieces, heaps == Heaps.SMALL_WORKER ? itemAlone : large));
  }

  /** One segment larger than 2 GiB; its unit is written in parts and read as one. */
  static final class OneLarge {
    private OneLarge() {}

    public static void main(String[] arguments) {
      try (SharedMemorySegmentPool pool = new SharedMemorySegmentPool(3 * GIB, 1);
          ArenaWriter writer = pool.openWriter();
          ArenaReader reader = pool.openReader()) {
        MemorySegment source = ZeroPages.of(2 * GIB + 8);
        for (long size : new long[] {2 * GIB - 1, 2 * GIB, 2 * GIB + 8}) {
          MemorySegment part = source.asSlice(0, size);
          Stamps.fillSparse(part, size % 100, 75);
          writer.beginUnit();
          Placement large = writer.writeBinary(part);
          Placement small = writer.writeBinary(part.asSlice(0, GIB / 2));
          UnitReceipt receipt = writer.commitUnit();
          reader.admit(receipt);
          OpenUnit open = reader.beginUnit(receipt, ViewScope.CONFINED);
          MemorySegment view = open.readBinary(large.offset(), large.byteSize());
          assertEquals(-1, view.mismatch(part));
          assertEdges(view, part);
          assertEquals(
              -1,
              open.readBinary(small.offset(), small.byteSize()).mismatch(part.asSlice(0, GIB / 2)));
          open.endUnit(List.of()).close();
        }
        writer.beginUnit();
        UnitTooLargeException tooLarge =
            assertThrows(
                UnitTooLargeException.class,
                () -> {
                  var _ = writer.writeBinary(source);
                  var _ = writer.writeBinary(source);
                });
        assertTrue((Long) tooLarge.facts().get("bytesAsked") > 4 * GIB);
        writer.abortUnit();
        pool.unlink();
      }
    }

    private static void assertEdges(MemorySegment view, MemorySegment right) {
      for (long edge : new long[] {0, 2 * GIB - 8, GIB, view.byteSize() - 8}) {
        for (long at = Math.max(0, edge - 8); at <= edge + 8; at++) {
          if (at < view.byteSize()) {
            assertEquals(right.get(ValueLayout.JAVA_BYTE, at), view.get(ValueLayout.JAVA_BYTE, at));
          }
        }
      }
    }
  }

  /** A worker sends arrays that make 2 GiB less a byte, 2 GiB, and 8 bytes more; as one item. */
  static final class SeveralArrays {
    /** Room for the arrays of one unit, all of it for large objects. */
    static final String[] HEAP = {"-Xmx2300m", "-Xmn32m"};

    private static final int[][] PARTS = {
      {1 << 30, (1 << 30) - 1}, {1 << 30, 1 << 30}, {1 << 30, 1 << 29, (1 << 29) + 8}
    };

    private SeveralArrays() {}

    public static void main(String[] arguments) {
      int first = PARTS.length - Integer.parseInt(arguments[1]);
      WorkerSource<byte[][]> source =
          Sizes.counting(PARTS.length - first, number -> item(first + number));
      SubprocessOptions options =
          SubprocessOptions.builder()
              .arena(
                  arguments[0].equals("pool")
                      ? new SharedMemorySegmentPool(2 * GIB + 64, 1)
                      : new SharedMemoryRingBuffer(2 * GIB + 8))
              .jvmArgs(HEAP)
              .jvmArgs("-XX:+UseSerialGC")
              .build();
      try (SubprocessIterable<byte[][]> items = Subprocess.iterate(source, options)) {
        int unit = first;
        for (Lease<byte[][]> lease : items.leases()) {
          try (lease) {
            verify(lease.item(), unit++);
          }
        }
        assertEquals(PARTS.length, unit);
      }
    }

    private static byte[][] item(int unit) {
      byte[][] arrays = new byte[PARTS[unit].length][];
      for (int part = 0; part < arrays.length; part++) {
        arrays[part] = new byte[PARTS[unit][part]];
        Stamps.fillSparse(MemorySegment.ofArray(arrays[part]), unit, part);
      }
      return arrays;
    }

    private static void verify(byte[][] arrays, int unit) {
      assertEquals(PARTS[unit].length, arrays.length);
      for (int part = 0; part < arrays.length; part++) {
        assertEquals(PARTS[unit][part], arrays[part].length);
        Stamps.verifySparse(MemorySegment.ofArray(arrays[part]), unit, part);
      }
    }
  }

  /** Units whose places in the file pass 1, 2 and 3 GiB. */
  static final class ThreeLarge {
    private ThreeLarge() {}

    public static void main(String[] arguments) {
      try (SharedMemorySegmentPool pool = new SharedMemorySegmentPool(GIB, 3);
          ArenaWriter writer = pool.openWriter();
          ArenaReader reader = pool.openReader()) {
        MemorySegment source = ZeroPages.of(GIB);
        List<UnitLease> leases = new ArrayList<>();
        List<MemorySegment> views = new ArrayList<>();
        for (int unit = 0; unit < 5; unit++) {
          if (unit >= 3) {
            leases.get(unit - 3).close();
          }
          Stamps.fillSparse(source, unit, 75);
          writer.beginUnit();
          Placement placement = writer.writeBinary(source);
          UnitReceipt receipt = writer.commitUnit();
          reader.admit(receipt);
          OpenUnit open = reader.beginUnit(receipt, ViewScope.CONFINED);
          views.add(open.readBinary(placement.offset(), placement.byteSize()));
          leases.add(open.endUnit(List.of()));
          for (int held = Math.max(0, unit - 2); held <= unit; held++) {
            Stamps.verifySparse(views.get(held), held, 75);
          }
        }
        leases.forEach(UnitLease::close);
        pool.unlink();
      }
    }
  }

  /** A worker sends 1 GiB and then more than an array can hold. */
  static final class SmallHeap {
    private SmallHeap() {}

    public static void main(String[] arguments) {
      WorkerSource<Tensor> source =
          Sizes.counting(
              2,
              unit -> {
                long size = unit == 0 ? GIB : 2 * GIB + 8;
                MemorySegment bytes = ZeroPages.of(size);
                Stamps.fillSparse(bytes, unit, 76);
                return Tensor.of(ElementType.UINT8, bytes, size);
              });
      SubprocessOptions options =
          SubprocessOptions.builder()
              .arena(new SharedMemorySegmentPool(2 * GIB + 8, 1))
              .jvmArgs("-Xmx128m")
              .build();
      try (SubprocessIterable<Tensor> items = Subprocess.iterate(source, options)) {
        Iterator<Lease<Tensor>> leases = items.leases().iterator();
        try (Lease<Tensor> lease = leases.next()) {
          assertEquals(GIB, lease.item().byteSize());
          Stamps.verifySparse(lease.item().segment(), 0, 76);
          assertThrows(OutOfMemoryError.class, () -> lease.item().toByteArray());
          Stamps.verifySparse(lease.item().segment(), 0, 76);
        }
        try (Lease<Tensor> lease = leases.next()) {
          Stamps.verifySparse(lease.item().segment(), 1, 76);
          assertThrows(UnitTooLargeException.class, () -> lease.item().toByteArray());
          assertThrows(UnitTooLargeException.class, () -> lease.item().asByteBuffer().get(0));
        }
      }
    }
  }

  /** Whose heap is too small for the record. */
  enum Heaps {
    SMALL_WORKER,
    SMALL_PARENT,
    LARGE
  }

  /** An item of so many pieces of 1 MB that is no payload: 200 MB, or 1.5 GiB in the whole run. */
  static final class LargeRecord {
    private LargeRecord() {}

    public static void main(String[] arguments) {
      Heaps heaps = Heaps.valueOf(arguments[0]);
      int pieces = Integer.parseInt(arguments[1]);
      WorkerSource<Object> source = Sizes.counting(3, unit -> unit == 1 ? pieces(pieces) : unit);
      SubprocessOptions options =
          SubprocessOptions.builder().jvmArgs(arguments[2], "-XX:+UseSerialGC").build();
      try (SubprocessIterable<Object> items = Subprocess.iterate(source, options)) {
        Iterator<Object> iterator = items.iterator();
        assertEquals(0, iterator.next());
        switch (heaps) {
          case SMALL_WORKER -> {
            WorkerFailedException failed =
                assertThrows(WorkerFailedException.class, iterator::next);
            assertEquals("java.lang.OutOfMemoryError", failed.facts().get("remoteClass"));
            assertIsAboutTheHeap(failed);
            assertEquals(2, iterator.next());
          }
          case SMALL_PARENT -> {
            assertIsAboutTheHeap(assertThrows(OutOfMemoryError.class, iterator::next));
            assertIsAboutTheHeap(assertThrows(OutOfMemoryError.class, iterator::next));
          }
          case LARGE -> {
            assertEquals(pieces(pieces), iterator.next());
            assertEquals(2, iterator.next());
            assertFalse(iterator.hasNext());
          }
        }
      }
    }

    private static List<String> pieces(int count) {
      List<String> pieces = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        pieces.add("x".repeat(1_000_000 + i));
      }
      return pieces;
    }

    /** An array that no JVM can make would be a fault of ours. */
    private static void assertIsAboutTheHeap(Throwable failure) {
      assertTrue(failure.getMessage().contains("Java heap space"), failure::toString);
    }
  }
}
