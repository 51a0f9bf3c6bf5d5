package dev.holdfast.arena.payload;

import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.UnitTooLargeException;
import dev.holdfast.arena.internal.memory.BulkCopy;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Objects;

/**
 * Where a record grows. One thread's. The memory is used again for the next record; a large one is
 * given up after a while in which only small records came.
 */
final class RecordBuffer extends OutputStream {
  private static final int FIRST_BYTES = 8 << 10;
  private static final int ALWAYS_KEPT_BYTES = 1 << 20;
  private static final int PATIENCE = 64;

  private static final VarHandle CHAR =
      MethodHandles.byteArrayViewVarHandle(char[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private byte[] bytes = new byte[FIRST_BYTES];
  private int size;
  private int unusedRounds;

  /** Begins a record with room for the fixed fields. */
  void begin() {
    boolean mostlyUnused = bytes.length > ALWAYS_KEPT_BYTES && size < bytes.length / 4;
    unusedRounds = mostlyUnused ? unusedRounds + 1 : 0;
    if (unusedRounds > PATIENCE) {
      bytes = new byte[FIRST_BYTES];
      unusedRounds = 0;
    }
    size = RecordLayout.BODY_OFFSET;
  }

  /** Gives up the memory, after an item that could not be encoded. */
  void shrink() {
    size = 0;
    if (bytes.length > ALWAYS_KEPT_BYTES) {
      bytes = new byte[FIRST_BYTES];
    }
  }

  int size() {
    return size;
  }

  byte[] array() {
    return bytes;
  }

  @Override
  public void write(int value) {
    require(1);
    bytes[size++] = (byte) value;
  }

  @Override
  public void write(byte[] source, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, source.length);
    require(length);
    System.arraycopy(source, offset, bytes, size, length);
    size += length;
  }

  void writeVarint(long value) {
    require(Varint.MAX_BYTES);
    size = Varint.write(bytes, size, value);
  }

  void writeSegment(MemorySegment source) {
    require(source.byteSize());
    BulkCopy.copy(source, MemorySegment.ofArray(bytes).asSlice(size, source.byteSize()));
    size += (int) source.byteSize();
  }

  /** Writes the low byte of each character. */
  @SuppressWarnings("deprecation")
  void writeAscii(String text) {
    require(text.length());
    text.getBytes(0, text.length(), bytes, size);
    size += text.length();
  }

  void writeFixed(int value) {
    require(Integer.BYTES);
    INT.set(bytes, size, value);
    size += Integer.BYTES;
  }

  void writeFixed(long value) {
    require(Long.BYTES);
    LONG.set(bytes, size, value);
    size += Long.BYTES;
  }

  void writeChars(String text) {
    require(2L * text.length());
    for (int i = 0; i < text.length(); i++) {
      CHAR.set(bytes, size, text.charAt(i));
      size += Character.BYTES;
    }
  }

  private void require(long more) {
    long needed = size + more;
    if (needed > bytes.length) {
      if (needed > Copies.MAX_ARRAY_LENGTH) {
        throw new UnitTooLargeException(
            FailureDetail.of("the envelope of an item would be too long")
                .with("bytesAsked", needed)
                .with("bytesLimit", Copies.MAX_ARRAY_LENGTH)
                .advise("send large binaries through an arena, or split the item"));
      }
      long doubled = Math.min(2L * bytes.length, Copies.MAX_ARRAY_LENGTH);
      bytes = Arrays.copyOf(bytes, (int) Math.max(needed, doubled));
    }
  }

  MemorySegment segment() {
    return MemorySegment.ofArray(bytes).asSlice(0, size, ValueLayout.JAVA_BYTE.byteAlignment());
  }
}
