package dev.holdfast.arena.payload;

import java.io.StreamCorruptedException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import java.util.List;

/** The handlers of the standard registry. */
final class StandardHandlers {
  private StandardHandlers() {}

  static List<PayloadHandler<?>> list() {
    return List.of(
        new ArrayHandler<>(
            byte[].class, ValueLayout.JAVA_BYTE, MemorySegment::ofArray, n -> new byte[n]),
        new ArrayHandler<>(
            float[].class,
            ValueLayout.JAVA_FLOAT_UNALIGNED,
            MemorySegment::ofArray,
            n -> new float[n]),
        new ArrayHandler<>(
            int[].class, ValueLayout.JAVA_INT_UNALIGNED, MemorySegment::ofArray, n -> new int[n]),
        new ArrayHandler<>(
            long[].class,
            ValueLayout.JAVA_LONG_UNALIGNED,
            MemorySegment::ofArray,
            n -> new long[n]),
        new ArrayHandler<>(
            double[].class,
            ValueLayout.JAVA_DOUBLE_UNALIGNED,
            MemorySegment::ofArray,
            n -> new double[n]),
        new ArrayHandler<>(
            short[].class,
            ValueLayout.JAVA_SHORT_UNALIGNED,
            MemorySegment::ofArray,
            n -> new short[n]),
        new ArrayHandler<>(
            char[].class,
            ValueLayout.JAVA_CHAR_UNALIGNED,
            MemorySegment::ofArray,
            n -> new char[n]),
        new BooleanArrayHandler(),
        new ByteBufferHandler(),
        floats(),
        ints(),
        longs(),
        doubles(),
        shorts(),
        chars(),
        new SegmentHandler(),
        new TensorHandler());
  }

  private static PayloadHandler<FloatBuffer> floats() {
    return new TypedBufferHandler<>(
        FloatBuffer.class,
        Float.BYTES,
        FloatBuffer::order,
        ByteBuffer::asFloatBuffer,
        ElementType.FLOAT32,
        heap -> FloatBuffer.wrap((float[]) heap),
        FloatBuffer::asReadOnlyBuffer);
  }

  private static PayloadHandler<IntBuffer> ints() {
    return new TypedBufferHandler<>(
        IntBuffer.class,
        Integer.BYTES,
        IntBuffer::order,
        ByteBuffer::asIntBuffer,
        ElementType.INT32,
        heap -> IntBuffer.wrap((int[]) heap),
        IntBuffer::asReadOnlyBuffer);
  }

  private static PayloadHandler<LongBuffer> longs() {
    return new TypedBufferHandler<>(
        LongBuffer.class,
        Long.BYTES,
        LongBuffer::order,
        ByteBuffer::asLongBuffer,
        ElementType.INT64,
        heap -> LongBuffer.wrap((long[]) heap),
        LongBuffer::asReadOnlyBuffer);
  }

  private static PayloadHandler<DoubleBuffer> doubles() {
    return new TypedBufferHandler<>(
        DoubleBuffer.class,
        Double.BYTES,
        DoubleBuffer::order,
        ByteBuffer::asDoubleBuffer,
        ElementType.FLOAT64,
        heap -> DoubleBuffer.wrap((double[]) heap),
        DoubleBuffer::asReadOnlyBuffer);
  }

  private static PayloadHandler<ShortBuffer> shorts() {
    return new TypedBufferHandler<>(
        ShortBuffer.class,
        Short.BYTES,
        ShortBuffer::order,
        ByteBuffer::asShortBuffer,
        ElementType.INT16,
        heap -> ShortBuffer.wrap((short[]) heap),
        ShortBuffer::asReadOnlyBuffer);
  }

  private static PayloadHandler<CharBuffer> chars() {
    return new TypedBufferHandler<>(
        CharBuffer.class,
        Character.BYTES,
        CharBuffer::order,
        ByteBuffer::asCharBuffer,
        ElementType.UINT16,
        heap -> CharBuffer.wrap((char[]) heap),
        CharBuffer::asReadOnlyBuffer);
  }

  /** The number of elements, when an array can hold them and the bytes make whole ones. */
  static int elements(MemorySegment bytes, long elementBytes, String kind)
      throws StreamCorruptedException {
    long size = bytes.byteSize();
    if (size % elementBytes != 0 || size / elementBytes > Copies.MAX_ARRAY_LENGTH) {
      throw new StreamCorruptedException(
          "the bytes of a binary do not make its elements: kind=%s bytes=%d elementBytes=%d"
              .formatted(kind, size, elementBytes));
    }
    return (int) (size / elementBytes);
  }
}
