import dev.holdfast.arena.ArenaReader;
import dev.holdfast.arena.ArenaWriter;
import dev.holdfast.arena.OpenUnit;
import dev.holdfast.arena.Placement;
import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.arena.SharedMemoryRingBuffer;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.arena.UnitLease;
import dev.holdfast.arena.UnitReceipt;
import dev.holdfast.arena.ViewScope;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * Reads binaries of a unit by vectors, between binaries of odd sizes. Started from its source,
 * because the module of vectors is an incubator's.
 */
final class VectorReading {
  private static final VectorSpecies<Long> LONGS = LongVector.SPECIES_PREFERRED;
  private static final VectorSpecies<Double> DOUBLES = DoubleVector.SPECIES_PREFERRED;
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();
  private static final int CAPACITY = 10_007; // wraps at another byte in each round

  private VectorReading() {}

  public static void main(String[] arguments) {
    int units = Integer.parseInt(arguments[0]);
    read(new SharedMemorySegmentPool(CAPACITY, 2), units);
    read(new SharedMemoryRingBuffer(CAPACITY), units);
    System.out.println("READ units=" + units + " lanes=" + LONGS.length());
  }

  private static void read(SharedMemoryArena arena, int units) {
    try (arena;
        ArenaWriter writer = arena.openWriter();
        ArenaReader reader = arena.openReader()) {
      for (int unit = 0; unit < units; unit++) {
        long[] longs = new long[100 + unit % 7];
        double[] doubles = new double[200 + unit % 5];
        long longSum = 0;
        double doubleSum = 0;
        for (int i = 0; i < longs.length; i++) {
          longs[i] = (long) unit << 32 | i;
          longSum += longs[i];
        }
        for (int i = 0; i < doubles.length; i++) {
          doubles[i] = unit + i; // whole, so that sums are the same in every order
          doubleSum += doubles[i];
        }
        List<MemorySegment> binaries =
            List.of(
                MemorySegment.ofArray(new byte[1 + unit % 9]),
                MemorySegment.ofArray(longs),
                MemorySegment.ofArray(new byte[3]),
                MemorySegment.ofArray(doubles),
                MemorySegment.ofArray(new short[1]));
        List<Placement> placements = new ArrayList<>();
        writer.beginUnit();
        for (MemorySegment binary : binaries) {
          placements.add(writer.writeBinary(binary));
        }
        UnitReceipt receipt = writer.commitUnit();
        reader.admit(receipt);
        OpenUnit open = reader.beginUnit(receipt, ViewScope.CONFINED);
        List<MemorySegment> views = new ArrayList<>();
        for (Placement placement : placements) {
          views.add(open.readBinary(placement.offset(), placement.byteSize()));
        }
        try (UnitLease lease = open.endUnit(List.of())) {
          require(lease.scope() == ViewScope.CONFINED, "the scope of unit " + unit);
          require(sumOfLongs(views.get(1)) == longSum, "the longs of unit " + unit);
          require(sumOfDoubles(views.get(3)) == doubleSum, "the doubles of unit " + unit);
        }
      }
    }
    arena.unlink();
  }

  private static long sumOfLongs(MemorySegment view) {
    require(view.address() % LONGS.vectorByteSize() == 0, "the alignment of longs");
    long count = view.byteSize() / Long.BYTES;
    LongVector sum = LongVector.zero(LONGS);
    for (long at = 0; at < count; at += LONGS.length()) {
      VectorMask<Long> mask = LONGS.indexInRange(at, count);
      sum = sum.add(LongVector.fromMemorySegment(LONGS, view, at * Long.BYTES, ORDER, mask));
    }
    return sum.reduceLanes(VectorOperators.ADD);
  }

  private static double sumOfDoubles(MemorySegment view) {
    require(view.address() % DOUBLES.vectorByteSize() == 0, "the alignment of doubles");
    long count = view.byteSize() / Double.BYTES;
    DoubleVector sum = DoubleVector.zero(DOUBLES);
    for (long at = 0; at < count; at += DOUBLES.length()) {
      VectorMask<Double> mask = DOUBLES.indexInRange(at, count);
      sum = sum.add(DoubleVector.fromMemorySegment(DOUBLES, view, at * Double.BYTES, ORDER, mask));
    }
    return sum.reduceLanes(VectorOperators.ADD);
  }

  private static void require(boolean right, String what) {
    if (!right) {
      throw new AssertionError(what);
    }
  }
}
