package dev.holdfast.arena.payload;

import java.util.Arrays;
import java.util.Objects;

/** Arithmetic on shapes that notices overflow and divides by nothing. */
final class Shapes {
  private Shapes() {}

  static long elementCount(long[] shape) {
    boolean empty = false;
    for (long dimension : shape) {
      if (dimension < 0) {
        throw new IllegalArgumentException(
            "a dimension is negative: shape=" + Arrays.toString(shape));
      }
      empty |= dimension == 0;
    }
    if (empty) {
      return 0;
    }
    long count = 1;
    for (long dimension : shape) {
      count = multiply(count, dimension, shape);
    }
    return count;
  }

  static long byteSize(ElementType type, long[] shape) {
    return multiply(elementCount(shape), type.byteSize(), shape);
  }

  static long[] slice(long[] shape, long from, long to) {
    if (shape.length == 0) {
      throw new IllegalStateException("a scalar has no rows to take a part of");
    }
    Objects.checkFromToIndex(from, to, shape[0]);
    long[] rows = shape.clone();
    rows[0] = to - from;
    return rows;
  }

  static long[] tail(long[] shape) {
    return Arrays.copyOfRange(shape, 1, shape.length);
  }

  static long rowBytes(ElementType type, long[] shape) {
    return byteSize(type, tail(shape));
  }

  static long flatIndex(long[] shape, long[] index) {
    requireRank(shape, index.length, "indexes");
    long flat = 0;
    for (int d = 0; d < shape.length; d++) {
      flat = flat * shape[d] + Objects.checkIndex(index[d], shape[d]);
    }
    return flat;
  }

  static void requireRank(long[] shape, int given, String what) {
    if (given != shape.length) {
      throw new IllegalArgumentException(
          "the number of %s is not that of the dimensions: %s=%d shape=%s"
              .formatted(what, what, given, Arrays.toString(shape)));
    }
  }

  private static long multiply(long left, long right, long[] shape) {
    try {
      return Math.multiplyExact(left, right);
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException(
          "a shape has more bytes than can be counted: shape=" + Arrays.toString(shape), e);
    }
  }
}
