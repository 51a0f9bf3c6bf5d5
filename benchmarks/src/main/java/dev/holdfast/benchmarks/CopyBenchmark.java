package dev.holdfast.benchmarks;

import dev.holdfast.arena.ArenaReader;
import dev.holdfast.arena.ArenaWriter;
import dev.holdfast.arena.OpenUnit;
import dev.holdfast.arena.Placement;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.arena.UnitReceipt;
import dev.holdfast.arena.ViewScope;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
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
 * A large unit: copied into a pool of four segments and released, without being read, or compared
 * with its source byte by byte. By the JVM's copies alone, and by those that are found faster.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 2, jvmArgsAppend = "--enable-native-access=ALL-UNNAMED")
public class CopyBenchmark {
  private static final int SEGMENTS = 4;

  @Param({"65536", "262144", "1048576", "4194304", "8388608", "33554432"})
  int bytes;

  private MemorySegment source;
  private SharedMemorySegmentPool pool;
  private ArenaWriter writer;
  private ArenaReader reader;

  @Setup
  public void open() {
    source = Arena.ofAuto().allocate(bytes, Long.BYTES).fill((byte) 1);
    pool = new SharedMemorySegmentPool(bytes, SEGMENTS);
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

  private void unit(boolean read) {
    writer.beginUnit();
    Placement place = writer.writeBinary(source);
    UnitReceipt receipt = writer.commitUnit();
    reader.admit(receipt);
    OpenUnit unit = reader.beginUnit(receipt, ViewScope.CONFINED);
    MemorySegment view = unit.readBinary(place.offset(), place.byteSize());
    if (read && view.mismatch(source) >= 0) {
      throw new IllegalStateException("other bytes arrived");
    }
    unit.endUnit(List.of(view)).close();
  }

  @Benchmark
  @Fork(
      value = 2,
      jvmArgsAppend = {"--enable-native-access=ALL-UNNAMED", "-Dholdfast.jvmCopies=true"})
  public void copiedByTheJvm() {
    unit(false);
  }

  @Benchmark
  public void copiedAsFoundFaster() {
    unit(false);
  }

  @Benchmark
  @Fork(
      value = 2,
      jvmArgsAppend = {"--enable-native-access=ALL-UNNAMED", "-Dholdfast.jvmCopies=true"})
  public void copiedByTheJvmAndRead() {
    unit(true);
  }

  @Benchmark
  public void copiedAsFoundFasterAndRead() {
    unit(true);
  }
}
