package dev.holdfast.benchmarks;

import dev.holdfast.arena.ArenaReader;
import dev.holdfast.arena.ArenaWriter;
import dev.holdfast.arena.OpenUnit;
import dev.holdfast.arena.Placement;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.arena.StorageHold;
import dev.holdfast.arena.UnitLease;
import dev.holdfast.arena.UnitReceipt;
import dev.holdfast.arena.ViewScope;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/** The book of units and the owners of a unit, used by several threads at once. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 2, jvmArgsAppend = "--enable-native-access=ALL-UNNAMED")
public class LedgerBenchmark {
  private static final int SEGMENTS = 256;

  private final MemorySegment source = MemorySegment.ofArray(new byte[64]);
  private SharedMemorySegmentPool pool;
  private ArenaWriter writer;
  private ArenaReader reader;
  private SharedMemorySegmentPool heldPool;
  private ArenaWriter heldWriter;
  private ArenaReader heldReader;
  private UnitLease held;

  @Setup
  public void open() {
    pool = new SharedMemorySegmentPool(4096, SEGMENTS);
    writer = pool.openWriter();
    reader = pool.openReader();
    heldPool = new SharedMemorySegmentPool(4096, 1);
    heldWriter = heldPool.openWriter();
    heldReader = heldPool.openReader();
    heldWriter.beginUnit();
    Placement place = heldWriter.writeBinary(source);
    UnitReceipt receipt = heldWriter.commitUnit();
    heldReader.admit(receipt);
    OpenUnit unit = heldReader.beginUnit(receipt, ViewScope.SHARED);
    held = unit.endUnit(List.of(unit.readBinary(place.offset(), place.byteSize())));
  }

  @TearDown
  public void close() {
    held.close();
    for (AutoCloseable end : List.of(reader, writer, heldReader, heldWriter, pool, heldPool)) {
      try {
        end.close();
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
    pool.unlink();
    heldPool.unlink();
  }

  /** One unit is published in its turn, opened and released at the same time as others. */
  private void unit() {
    UnitReceipt receipt;
    Placement place;
    synchronized (this) {
      writer.beginUnit();
      place = writer.writeBinary(source);
      receipt = writer.commitUnit();
      reader.admit(receipt);
    }
    OpenUnit unit = reader.beginUnit(receipt, ViewScope.CONFINED);
    MemorySegment view = unit.readBinary(place.offset(), place.byteSize());
    unit.endUnit(List.of(view)).close();
  }

  private void holdAndLetGo() {
    try (StorageHold _ = held.hold()) {
      // An owner more for a moment.
    }
  }

  @Benchmark
  @Threads(1)
  public void unitsOfOneThread() {
    unit();
  }

  @Benchmark
  @Threads(2)
  public void unitsOfTwoThreads() {
    unit();
  }

  @Benchmark
  @Threads(8)
  public void unitsOfEightThreads() {
    unit();
  }

  @Benchmark
  @Threads(1)
  public void holdsOfOneThread() {
    holdAndLetGo();
  }

  @Benchmark
  @Threads(8)
  public void holdsOfEightThreads() {
    holdAndLetGo();
  }
}
