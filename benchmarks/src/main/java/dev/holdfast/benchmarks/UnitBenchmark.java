package dev.holdfast.benchmarks;

import dev.holdfast.arena.ArenaReader;
import dev.holdfast.arena.ArenaWriter;
import dev.holdfast.arena.OpenUnit;
import dev.holdfast.arena.Placement;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.arena.UnitReceipt;
import dev.holdfast.arena.ViewScope;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Units of a pool, written and read by one thread. A COLLECTED unit comes back with a collection.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 2, jvmArgsAppend = "--enable-native-access=ALL-UNNAMED")
public class UnitBenchmark {
  private static final int SEGMENTS = 256;
  private static final int BINARY_BYTES = 64;

  private final MemorySegment source = MemorySegment.ofArray(new byte[BINARY_BYTES]);
  private SharedMemorySegmentPool pool;
  private ArenaWriter writer;
  private ArenaReader reader;

  /** The scope of the views. */
  @State(Scope.Thread)
  public static class Scoped {
    @Param public ViewScope scope;
  }

  @Setup
  public void open() {
    pool = new SharedMemorySegmentPool(4096, SEGMENTS);
    writer = pool.openWriter();
    reader = pool.openReader();
  }

  @TearDown
  public void close() {
    reader.close();
    writer.close();
    pool.close();
    pool.unlink();
  }

  /** Nothing is published. */
  @Benchmark
  public void beginAndAbort() {
    writer.beginUnit();
    writer.abortUnit();
  }

  /** The reader drops the unit unopened. */
  @Benchmark
  public void beginCommitAndDiscard() {
    writer.beginUnit();
    UnitReceipt receipt = writer.commitUnit();
    reader.admit(receipt);
    reader.discard(receipt);
  }

  /** One view is made and read before the unit is given back. */
  @Benchmark
  public byte restoreAndRelease(Scoped scoped) {
    writer.beginUnit();
    Placement place = writer.writeBinary(source);
    UnitReceipt receipt = writer.commitUnit();
    reader.admit(receipt);
    OpenUnit unit = reader.beginUnit(receipt, scoped.scope);
    MemorySegment view = unit.readBinary(place.offset(), place.byteSize());
    try (var _ = unit.endUnit(List.of(view))) {
      return view.get(ValueLayout.JAVA_BYTE, 0);
    }
  }
}
