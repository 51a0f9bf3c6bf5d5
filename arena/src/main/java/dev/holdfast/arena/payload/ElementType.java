package dev.holdfast.arena.payload;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * What one element of a {@link Tensor} is. Elements lie in native byte order and need no alignment.
 */
public enum ElementType {
  /** A signed byte. */
  INT8(0, ValueLayout.JAVA_BYTE),
  /** An unsigned byte. */
  UINT8(1, ValueLayout.JAVA_BYTE),
  /** A signed integer of 16 bits. */
  INT16(2, ValueLayout.JAVA_SHORT_UNALIGNED),
  /** An unsigned integer of 16 bits. */
  UINT16(3, ValueLayout.JAVA_CHAR_UNALIGNED),
  /** A signed integer of 32 bits. */
  INT32(4, ValueLayout.JAVA_INT_UNALIGNED),
  /** A signed integer of 64 bits. */
  INT64(5, ValueLayout.JAVA_LONG_UNALIGNED),
  /** A floating-point number of 16 bits, IEEE 754 binary16. */
  FLOAT16(6, ValueLayout.JAVA_SHORT_UNALIGNED),
  /** A floating-point number of 16 bits: the upper half of a {@link #FLOAT32}. */
  BFLOAT16(7, ValueLayout.JAVA_SHORT_UNALIGNED),
  /** A floating-point number of 32 bits. */
  FLOAT32(8, ValueLayout.JAVA_FLOAT_UNALIGNED),
  /** A floating-point number of 64 bits. */
  FLOAT64(9, ValueLayout.JAVA_DOUBLE_UNALIGNED),
  /** A truth value in one byte: 0 is false, anything else is true. */
  BOOL(10, ValueLayout.JAVA_BYTE);

  private static final ElementType[] ALL = values();

  private final int code;

  @SuppressWarnings("ImmutableEnumChecker") // layouts are immutable, the checker does not know
  private final ValueLayout layout;

  ElementType(int code, ValueLayout layout) {
    this.code = code;
    this.layout = layout;
  }

  /** The number under which the type travels. */
  int code() {
    return code;
  }

  /** The type that travels under a number, or null when there is none. */
  static @Nullable ElementType ofCode(int code) {
    for (ElementType type : ALL) {
      if (type.code == code) {
        return type;
      }
    }
    return null;
  }

  /**
   * Returns how long one element is.
   *
   * @return the length in bytes
   */
  public int byteSize() {
    return (int) layout.byteSize();
  }

  /**
   * Returns how long a tensor of such elements is, without gaps.
   *
   * @param shape its dimensions; none makes a scalar
   * @return the length in bytes
   * @throws IllegalArgumentException when a dimension is negative or the length cannot be counted
   */
  public long bytesOf(long... shape) {
    return Shapes.byteSize(this, shape);
  }

  /**
   * Returns the layout of one element, in native order and without alignment. Where Java has no
   * such type it is the carrier of the bits: {@code byte} for UINT8 and BOOL, {@code char} for
   * UINT16, {@code short} for the floats of 16 bits.
   *
   * @return the layout
   */
  public ValueLayout layout() {
    return layout;
  }

  /**
   * Reads one element as a number. A 64-bit integer beyond 2 to the 53 is rounded.
   *
   * @param bytes where from
   * @param byteOffset where the element begins
   * @return its value
   */
  double read(MemorySegment bytes, long byteOffset) {
    return switch (this) {
      case INT8 -> bytes.get(ValueLayout.JAVA_BYTE, byteOffset);
      case UINT8 -> Byte.toUnsignedInt(bytes.get(ValueLayout.JAVA_BYTE, byteOffset));
      case INT16 -> bytes.get(ValueLayout.JAVA_SHORT_UNALIGNED, byteOffset);
      case UINT16 -> bytes.get(ValueLayout.JAVA_CHAR_UNALIGNED, byteOffset);
      case INT32 -> bytes.get(ValueLayout.JAVA_INT_UNALIGNED, byteOffset);
      case INT64 -> bytes.get(ValueLayout.JAVA_LONG_UNALIGNED, byteOffset);
      case FLOAT16 -> Float.float16ToFloat(bytes.get(ValueLayout.JAVA_SHORT_UNALIGNED, byteOffset));
      case BFLOAT16 ->
          Float.intBitsToFloat(bytes.get(ValueLayout.JAVA_SHORT_UNALIGNED, byteOffset) << 16);
      case FLOAT32 -> bytes.get(ValueLayout.JAVA_FLOAT_UNALIGNED, byteOffset);
      case FLOAT64 -> bytes.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, byteOffset);
      case BOOL -> bytes.get(ValueLayout.JAVA_BYTE, byteOffset) == 0 ? 0 : 1;
    };
  }
}
