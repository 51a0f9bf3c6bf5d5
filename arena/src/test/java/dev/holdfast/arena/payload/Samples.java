package dev.holdfast.arena.payload;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serial;
import java.io.Serializable;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.function.Supplier;

/** Types that the tests send. */
final class Samples {
  private Samples() {}

  enum Colour {
    RED,
    GREEN {
      @Override
      String shade() {
        return "dark";
      }
    };

    String shade() {
      return "light";
    }
  }

  sealed interface Shape extends Serializable permits Circle, Square {}

  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Circle(double radius, float[] outline) implements Shape {}

  record Square(double side, Tensor picture, Colour colour) implements Shape {}

  record Anything(Object value) implements Serializable {}

  interface Answer extends Serializable {
    int value();
  }

  interface Maker<T> extends Supplier<T>, Serializable {}

  static class Base implements Serializable {
    @Serial private static final long serialVersionUID = 1L;
    int id;
    byte[] raw = new byte[0];
  }

  static final class Derived extends Base {
    @Serial private static final long serialVersionUID = 1L;

    @SuppressWarnings("serial")
    List<Object> parts = List.of();

    transient int derived = 5;

    @Serial
    private void writeObject(ObjectOutputStream out) throws IOException {
      out.defaultWriteObject();
      out.writeInt(77);
      out.writeObject("tail");
    }

    @Serial
    private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
      in.defaultReadObject();
      derived = in.readInt();
      if (!"tail".equals(in.readObject())) {
        throw new IOException("the tail is missing");
      }
    }
  }

  /** Fails when it is written, after half of it was written. */
  static final class Failing implements Serializable {
    @Serial private static final long serialVersionUID = 1L;

    @SuppressWarnings("serial")
    private final Throwable failure;

    Failing(Throwable failure) {
      this.failure = failure;
    }

    @Serial
    private void writeObject(ObjectOutputStream out) throws IOException {
      out.write(new byte[512 << 10]);
      switch (failure) {
        case IOException e -> throw e;
        case RuntimeException e -> throw e;
        case Error e -> throw e;
        default -> throw new IllegalArgumentException(failure);
      }
    }
  }

  /** Fails when it is read. */
  static final class Unreadable implements Serializable {
    @Serial private static final long serialVersionUID = 1L;

    @Serial
    private void readObject(ObjectInputStream in) {
      throw new IllegalArgumentException("planned");
    }
  }

  /** A payload of the user's own. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Packet(String codec, byte[] data) {}

  static final class PacketHandler implements PayloadHandler<Packet> {
    @Override
    public String kind() {
      return "packet";
    }

    @Override
    public Class<Packet> type() {
      return Packet.class;
    }

    @Override
    public MemorySegment bytes(Packet payload) throws IOException {
      if (payload.codec().isEmpty()) {
        throw new IOException("planned");
      }
      return MemorySegment.ofArray(payload.data());
    }

    @Override
    public byte[] meta(Packet payload) {
      return payload.codec().getBytes(UTF_8);
    }

    @Override
    public Packet restoreView(MemorySegment view, byte[] meta) {
      return restoreCopy(view, meta, false);
    }

    @Override
    public Packet restoreCopy(MemorySegment bytes, byte[] meta, boolean writable) {
      return new Packet(new String(meta, UTF_8), bytes.toArray(ValueLayout.JAVA_BYTE));
    }
  }
}
