package dev.holdfast.arena.payload;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * A tensor whose elements lie apart, in memory that Java can read. Immutable, its elements are not.
 */
final class StridedTensor implements Tensor {
  private final ElementType type;
  private final MemorySegment base;
  private final long first;
  private final long[] shape;
  private final long[] strides;

  private StridedTensor(
      ElementType type, MemorySegment base, long first, long[] shape, long[] strides) {
    this.type = type;
    this.base = base;
    this.first = first;
    this.shape = shape;
    this.strides = strides;
  }

  static Tensor of(ElementType type, MemorySegment base, long first, long[] shape, long[] strides) {
    Shapes.requireRank(shape, strides.length, "strides");
    if (Shapes.byteSize(type, shape) != 0) {
      requireInside(type, base, first, shape, strides);
    }
    return new StridedTensor(type, base, first, shape.clone(), strides.clone());
  }

  private static void requireInside(
      ElementType type, MemorySegment base, long first, long[] shape, long[] strides) {
    long elements = base.byteSize() / type.byteSize();
    boolean inside;
    try {
      long lowest = first;
      long highest = first;
      for (int d = 0; d < shape.length; d++) {
        long reach = Math.multiplyExact(shape[d] - 1, strides[d]);
        lowest = Math.addExact(lowest, Math.min(reach, 0));
        highest = Math.addExact(highest, Math.max(reach, 0));
      }
      inside = lowest >= 0 && highest < elements;
    } catch (ArithmeticException e) {
      inside = false;
    }
    if (!inside) {
      throw new IndexOutOfBoundsException(
          "an element lies outside the memory: elements=%d first=%d shape=%s strides=%s"
              .formatted(elements, first, Arrays.toString(shape), Arrays.toString(strides)));
    }
  }

  @Override
  public ElementType elementType() {
    return type;
  }

  @Override
  public long[] shape() {
    return shape.clone();
  }

  @Override
  public boolean isContiguous() {
    return false;
  }

  @Override
  public MemorySegment segment() {
    MemorySegment flat = Copies.allocate(type, Shapes.elementCount(shape));
    if (flat.byteSize() > 0) {
      flatten(flat);
    }
    return flat.asReadOnly();
  }

  /*
   * A row is what one turn of the inner loop copies: the dimensions at the end that lie side by
   * side, in one piece, or when there are none the last dimension, element by element. An index over
   * the others counts like an odometer, and the source moves by the stride of the digit that turned.
   */
  private void flatten(MemorySegment flat) {
    int outer = shape.length;
    long row = 1;
    while (outer > 0 && (strides[outer - 1] == row || shape[outer - 1] == 1)) {
      row *= shape[outer - 1];
      outer--;
    }
    boolean apart = row == 1 && outer > 0;
    if (apart) {
      outer--;
      row = shape[outer];
    }
    long elementBytes = type.byteSize();
    long rowBytes = row * elementBytes;
    long[] index = new long[outer];
    long source = first;
    for (long target = 0; target < flat.byteSize(); target += rowBytes) {
      if (apart) {
        copyApart(flat, target, source * elementBytes, row, strides[outer] * elementBytes);
      } else {
        MemorySegment.copy(base, source * elementBytes, flat, target, rowBytes);
      }
      for (int d = outer - 1; d >= 0; d--) {
        source += strides[d];
        if (++index[d] < shape[d]) {
          break;
        }
        source -= strides[d] * shape[d];
        index[d] = 0;
      }
    }
  }

  private void copyApart(MemorySegment flat, long target, long source, long count, long step) {
    switch (type.byteSize()) {
      case Byte.BYTES -> {
        for (long i = 0; i < count; i++) {
          flat.set(JAVA_BYTE, target + i, base.get(JAVA_BYTE, source + i * step));
        }
      }
      case Short.BYTES -> {
        for (long i = 0; i < count; i++) {
          short element = base.get(JAVA_SHORT_UNALIGNED, source + i * step);
          flat.set(JAVA_SHORT_UNALIGNED, target + i * Short.BYTES, element);
        }
      }
      case Integer.BYTES -> {
        for (long i = 0; i < count; i++) {
          int element = base.get(JAVA_INT_UNALIGNED, source + i * step);
          flat.set(JAVA_INT_UNALIGNED, target + i * Integer.BYTES, element);
        }
      }
      default -> {
        for (long i = 0; i < count; i++) {
          long element = base.get(JAVA_LONG_UNALIGNED, source + i * step);
          flat.set(JAVA_LONG_UNALIGNED, target + i * Long.BYTES, element);
        }
      }
    }
  }

  @Override
  public Tensor slice(long from, long to) {
    long[] rows = Shapes.slice(shape, from, to);
    return new StridedTensor(type, base, first + from * strides[0], rows, strides);
  }

  @Override
  public Tensor at(long index) {
    StridedTensor row = (StridedTensor) slice(index, index + 1);
    return new StridedTensor(type, base, row.first, Shapes.tail(shape), Shapes.tail(strides));
  }

  @Override
  public double get(long... index) {
    Shapes.flatIndex(shape, index);
    long element = first;
    for (int d = 0; d < shape.length; d++) {
      element += index[d] * strides[d];
    }
    return type.read(base, element * type.byteSize());
  }

  @Override
  public Tensor copy() {
    Tensor copy = Tensor.allocate(type, shape);
    if (copy.byteSize() > 0) {
      flatten(copy.segment());
    }
    return copy;
  }

  @Override
  public String toString() {
    return "Tensor["
        + type
        + ", shape="
        + Arrays.toString(shape)
        + ", strides="
        + Arrays.toString(strides)
        + "]";
  }
}
