package dev.holdfast.loader.internal.failure;

import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.HoldfastFailure;
import dev.holdfast.loader.RemoteError;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Carries throwables as text, without Java serialization: their classes may be unknown in the
 * parent, and their fields may not cross.
 */
public final class FailureCodec {
  private static final int MESSAGE_CHARS = 8 * 1024;
  private static final int FACT_CHARS = 2 * 1024;
  private static final int MOST_FACTS = 64;
  private static final int STACK_CHARS = RemoteError.LIMIT_CHARS - 2 * MESSAGE_CHARS;

  private FailureCodec() {}

  /** Encodes a throwable. Never throws. */
  public static MemorySegment encode(Throwable thrown) {
    try {
      return MemorySegment.ofArray(encodeAll(thrown));
    } catch (Throwable e) {
      return MemorySegment.ofArray(encodeName(thrown));
    }
  }

  /** Decodes what {@link #encode} made. Never throws; what is damaged is said so. */
  public static RemoteFailure decode(MemorySegment bytes) {
    byte[] array = bytes.toArray(ValueLayout.JAVA_BYTE);
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(array))) {
      RemoteError error = new RemoteError(readText(in), readText(in), readText(in));
      return new RemoteFailure(error, in.readBoolean() ? readDetail(in) : null);
    } catch (IOException | RuntimeException e) {
      return new RemoteFailure(
          new RemoteError("unknown", "the worker's report cannot be read: " + e, ""), null);
    }
  }

  private static byte[] encodeAll(Throwable thrown) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      writeText(out, thrown.getClass().getName(), FACT_CHARS);
      writeText(out, ThrowableText.message(thrown), MESSAGE_CHARS);
      writeText(out, ThrowableText.of(thrown, STACK_CHARS), STACK_CHARS + FACT_CHARS);
      FailureDetail detail = detail(thrown);
      out.writeBoolean(detail != null);
      if (detail != null) {
        writeDetail(out, detail);
      }
    }
    return bytes.toByteArray();
  }

  /** When even text cannot be made, for want of memory for example. */
  private static byte[] encodeName(Throwable thrown) {
    byte[] name = thrown.getClass().getName().getBytes(StandardCharsets.UTF_8);
    byte[] bytes = new byte[4 + name.length + 4 + 4 + 1];
    MemorySegment.ofArray(bytes)
        .set(
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(java.nio.ByteOrder.BIG_ENDIAN),
            0,
            name.length);
    System.arraycopy(name, 0, bytes, 4, name.length);
    return bytes;
  }

  private static @Nullable FailureDetail detail(Throwable thrown) {
    boolean ours = KnownFailures.isKnown(thrown.getClass().getName());
    return ours && thrown instanceof HoldfastFailure failure ? failure.detail() : null;
  }

  private static void writeDetail(DataOutputStream out, FailureDetail detail) throws IOException {
    writeText(out, detail.what(), FACT_CHARS);
    writeText(out, detail.advice(), FACT_CHARS);
    Map<String, Object> facts = detail.facts();
    int count = Math.min(MOST_FACTS, facts.size());
    out.writeInt(count);
    for (Map.Entry<String, Object> fact : facts.entrySet().stream().limit(count).toList()) {
      writeText(out, fact.getKey(), FACT_CHARS);
      writeValue(out, fact.getValue());
    }
  }

  private static FailureDetail readDetail(DataInputStream in) throws IOException {
    FailureDetail detail = FailureDetail.of(readText(in));
    String advice = readText(in);
    int count = in.readInt();
    if (count > MOST_FACTS) {
      throw new IOException("facts=" + count);
    }
    for (int i = 0; i < count; i++) {
      detail = detail.with(readText(in), readValue(in));
    }
    return detail.advise(advice);
  }

  private static void writeValue(DataOutputStream out, Object value) throws IOException {
    switch (value) {
      case Integer number -> {
        out.writeByte('i');
        out.writeInt(number);
      }
      case Long number -> {
        out.writeByte('l');
        out.writeLong(number);
      }
      case Double number -> {
        out.writeByte('d');
        out.writeDouble(number);
      }
      case Boolean truth -> {
        out.writeByte('b');
        out.writeBoolean(truth);
      }
      default -> {
        out.writeByte('s');
        writeText(out, value.toString(), FACT_CHARS);
      }
    }
  }

  private static Object readValue(DataInputStream in) throws IOException {
    int type = in.readByte();
    return switch (type) {
      case 'i' -> in.readInt();
      case 'l' -> in.readLong();
      case 'd' -> in.readDouble();
      case 'b' -> in.readBoolean();
      default -> readText(in);
    };
  }

  private static void writeText(DataOutputStream out, String text, int limit) throws IOException {
    byte[] bytes = ThrowableText.cut(text, limit).getBytes(StandardCharsets.UTF_8);
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  private static String readText(DataInputStream in) throws IOException {
    int length = in.readInt();
    if (length < 0 || length > in.available()) {
      throw new IOException("length=" + length + " available=" + in.available());
    }
    return new String(in.readNBytes(length), StandardCharsets.UTF_8);
  }
}
