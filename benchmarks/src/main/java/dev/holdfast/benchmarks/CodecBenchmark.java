package dev.holdfast.benchmarks;

import dev.holdfast.arena.payload.EncodedItem;
import dev.holdfast.arena.payload.ItemCodec;
import dev.holdfast.arena.payload.RestoreMode;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
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
import org.openjdk.jmh.annotations.Warmup;

/**
 * Writing and reading whole records, with table, checksum and views, but without the copy of the
 * binaries and without a channel.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
    value = 2,
    jvmArgsAppend = {"--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow"})
public class CodecBenchmark {
  @Param public Codecs codec;
  @Param public Payload payload;

  private final OneUnit unit = new OneUnit();
  private Object item;
  private ItemCodec.Encoder encoder;
  private ItemCodec.Decoder decoder;
  private byte[] record;

  /** Sends the item once, so that its classes are known to the other side. */
  @Setup
  public void sendOnce() throws IOException {
    item = payload.item();
    ItemCodec items = codec.items();
    encoder = items.newEncoder();
    decoder = items.newDecoder(null, CodecBenchmark.class.getClassLoader());
    decoder.register(write().bytes());
    record = write().bytes().toArray(ValueLayout.JAVA_BYTE);
  }

  @Benchmark
  public EncodedItem write() throws IOException {
    EncodedItem encoded = encoder.encode(item, unit);
    encoder.sent();
    return encoded;
  }

  @Benchmark
  public @Nullable Object read() throws IOException, ClassNotFoundException {
    return decoder.restore(decoder.register(record), unit, RestoreMode.VIEWS);
  }
}
