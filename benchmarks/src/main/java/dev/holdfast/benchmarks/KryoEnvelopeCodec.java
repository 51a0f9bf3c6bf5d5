package dev.holdfast.benchmarks;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import dev.holdfast.arena.payload.BinarySink;
import dev.holdfast.arena.payload.BinarySource;
import dev.holdfast.arena.payload.EnvelopeCodec;
import dev.holdfast.arena.payload.Tensor;
import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputFilter;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import org.jspecify.annotations.Nullable;

/**
 * Envelopes by Kryo, for comparison: the classes of the payloads are registered, references are
 * kept, tensors become markers. It asks no filter, and no other class crosses.
 */
final class KryoEnvelopeCodec implements EnvelopeCodec {
  private static final int BUFFER_BYTES = 4096;

  private static Kryo kryo(Serializer<Tensor> tensors) {
    Kryo kryo = new Kryo();
    kryo.setReferences(true);
    kryo.setRegistrationRequired(true);
    kryo.register(HashMap.class);
    kryo.register(ArrayList.class);
    kryo.register(Payload.Sample.class);
    kryo.register(Payload.Box.class);
    kryo.register(Tensor.of(new float[1], 1).getClass(), tensors);
    return kryo;
  }

  @Override
  public Writer newWriter() {
    return new KryoWriter();
  }

  @Override
  public Reader newReader(@Nullable ObjectInputFilter filter, ClassLoader loader) {
    return new KryoReader();
  }

  private static final class KryoWriter extends Serializer<Tensor> implements Writer {
    private final Output output = new Output(BUFFER_BYTES, -1);
    private final Kryo kryo = kryo(this);
    private BinarySink sink = leaf -> BinarySink.INLINE;

    @Override
    public void write(@Nullable Object item, BinarySink target, OutputStream body)
        throws IOException {
      sink = target;
      output.reset();
      kryo.writeClassAndObject(output, item);
      body.write(output.getBuffer(), 0, output.position());
    }

    @Override
    public void write(Kryo writing, Output out, Tensor tensor) {
      try {
        out.writeVarInt(sink.offer(tensor), true);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public Tensor read(Kryo reading, Input in, Class<? extends Tensor> type) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void writeHead(OutputStream head) {}

    @Override
    public void sent() {}

    @Override
    public void dropped() {}
  }

  private static final class KryoReader extends Serializer<Tensor> implements Reader {
    private final Input input = new Input();
    private final Kryo kryo = kryo(this);
    private @Nullable BinarySource binaries;

    @Override
    public void register(byte[] head) {
      throw new UnsupportedOperationException();
    }

    @Override
    public @Nullable Object read(InputStream body, BinarySource source) throws IOException {
      binaries = source;
      input.setBuffer(body.readAllBytes());
      return kryo.readClassAndObject(input);
    }

    @Override
    public void write(Kryo writing, Output out, Tensor tensor) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Tensor read(Kryo reading, Input in, Class<? extends Tensor> type) {
      BinarySource source = binaries;
      if (source == null) {
        throw new IllegalStateException("no item is being read");
      }
      try {
        return (Tensor) source.binary(in.readVarInt(true));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
