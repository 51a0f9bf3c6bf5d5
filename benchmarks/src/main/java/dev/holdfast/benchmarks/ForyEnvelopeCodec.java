package dev.holdfast.benchmarks;

import dev.holdfast.arena.payload.BinarySink;
import dev.holdfast.arena.payload.BinarySource;
import dev.holdfast.arena.payload.EnvelopeCodec;
import dev.holdfast.arena.payload.Tensor;
import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputFilter;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import org.apache.fory.Fory;
import org.apache.fory.config.Config;
import org.apache.fory.context.ReadContext;
import org.apache.fory.context.WriteContext;
import org.apache.fory.memory.MemoryBuffer;
import org.apache.fory.memory.MemoryUtils;
import org.apache.fory.serializer.Serializer;
import org.jspecify.annotations.Nullable;

/**
 * Envelopes by Fory, for comparison: the classes of the payloads are registered, references are
 * kept, tensors become markers. It asks no filter, and no other class crosses.
 */
final class ForyEnvelopeCodec implements EnvelopeCodec {
  private static final int BUFFER_BYTES = 4096;

  /** What the serializer of tensors asks, set for each item. */
  private static final class Binaries {
    private BinarySink sink = leaf -> BinarySink.INLINE;
    private @Nullable BinarySource source;
  }

  private static Fory fory(Binaries binaries) {
    Fory fory =
        Fory.builder()
            .withXlang(false)
            .withRefTracking(true)
            .requireClassRegistration(true)
            .build();
    fory.register(Payload.Sample.class);
    fory.register(Payload.Box.class);
    register(fory, Tensor.of(new float[1], 1).getClass(), binaries);
    return fory;
  }

  private static <T extends Tensor> void register(Fory fory, Class<T> type, Binaries binaries) {
    fory.register(type);
    fory.registerSerializer(type, new Markers<>(fory.getConfig(), type, binaries));
  }

  @Override
  public Writer newWriter() {
    return new ForyWriter();
  }

  @Override
  public Reader newReader(@Nullable ObjectInputFilter filter, ClassLoader loader) {
    return new ForyReader();
  }

  /** Writes the number of a marker in the place of a tensor. */
  private static final class Markers<T extends Tensor> extends Serializer<T> {
    private final Binaries binaries;

    Markers(Config config, Class<T> type, Binaries binaries) {
      super(config, type);
      this.binaries = binaries;
    }

    @Override
    public void write(WriteContext context, T tensor) {
      try {
        int _ = context.writeVarUInt32(binaries.sink.offer(tensor));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    /**
     * A restored tensor is of another class than the one that was sent, which no field can tell.
     */
    @Override
    @SuppressWarnings("unchecked")
    public T read(ReadContext context) {
      BinarySource source = binaries.source;
      if (source == null) {
        throw new IllegalStateException("no item is being read");
      }
      try {
        return (T) source.binary(context.readVarUInt32());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private static final class ForyWriter implements Writer {
    private final Binaries binaries = new Binaries();
    private final Fory fory = fory(binaries);
    private final MemoryBuffer buffer = MemoryUtils.buffer(BUFFER_BYTES);

    @Override
    public void write(@Nullable Object item, BinarySink sink, OutputStream body)
        throws IOException {
      binaries.sink = sink;
      buffer.writerIndex(0);
      fory.serialize(buffer, item);
      body.write(buffer.getHeapMemory(), 0, buffer.writerIndex());
    }

    @Override
    public void writeHead(OutputStream head) {}

    @Override
    public void sent() {}

    @Override
    public void dropped() {}
  }

  private static final class ForyReader implements Reader {
    private final Binaries binaries = new Binaries();
    private final Fory fory = fory(binaries);

    @Override
    public void register(byte[] head) {
      throw new UnsupportedOperationException();
    }

    @Override
    public @Nullable Object read(InputStream body, BinarySource source) throws IOException {
      binaries.source = source;
      return fory.deserialize(body.readAllBytes());
    }
  }
}
