package dev.holdfast.arena.payload;

import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.UnitTooLargeException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Arrays for what memory holds, filled in pieces, so that no safepoint is kept waiting. */
final class Copies {
  /** The most elements that arrays of every type can have. */
  static final int MAX_ARRAY_LENGTH = Integer.MAX_VALUE - 8;

  private static final int PIECE_BYTES = 8 << 20;

  private Copies() {}

  static int arrayLength(long elements, String what) {
    if (elements > MAX_ARRAY_LENGTH) {
      throw new UnitTooLargeException(
          FailureDetail.of("no array can hold the elements")
              .with("type", what)
              .with("elements", elements)
              .with("limit", MAX_ARRAY_LENGTH)
              .advise("read them through segment() or in slices"));
    }
    return (int) elements;
  }

  static void requireBufferLength(long bytes) {
    if (bytes > Integer.MAX_VALUE) {
      throw new UnitTooLargeException(
          FailureDetail.of("no buffer can hold the bytes")
              .with("bytes", bytes)
              .with("limit", Integer.MAX_VALUE)
              .advise("read them through segment() or in slices"));
    }
  }

  static void toArray(MemorySegment source, ValueLayout layout, Object array, int length) {
    long elementBytes = layout.byteSize();
    int piece = (int) (PIECE_BYTES / elementBytes);
    for (int done = 0; done < length; done += piece) {
      int count = Math.min(piece, length - done);
      MemorySegment.copy(source, layout, done * elementBytes, array, done, count);
    }
  }

  static void requireCarrier(Tensor tensor, Class<?> carrier) {
    if (tensor.elementType().layout().carrier() != carrier) {
      throw new IllegalStateException(
          ("the elements of the tensor do not fit the array: elementType=%s array=%s[];"
                  + " ask for toByteArray() or segment()")
              .formatted(tensor.elementType(), carrier.getName()));
    }
  }

  /** Zeroed memory on an array of the element type, so that it is aligned for its elements. */
  static MemorySegment allocate(ElementType type, long elements) {
    if (elements > MAX_ARRAY_LENGTH) {
      long bytes = Math.multiplyExact(elements, (long) type.byteSize());
      return Arena.ofAuto().allocate(bytes, Long.BYTES);
    }
    int length = (int) elements;
    return switch (type) {
      case INT8, UINT8, BOOL -> MemorySegment.ofArray(new byte[length]);
      case INT16, FLOAT16, BFLOAT16 -> MemorySegment.ofArray(new short[length]);
      case UINT16 -> MemorySegment.ofArray(new char[length]);
      case INT32 -> MemorySegment.ofArray(new int[length]);
      case INT64 -> MemorySegment.ofArray(new long[length]);
      case FLOAT32 -> MemorySegment.ofArray(new float[length]);
      case FLOAT64 -> MemorySegment.ofArray(new double[length]);
    };
  }
}
