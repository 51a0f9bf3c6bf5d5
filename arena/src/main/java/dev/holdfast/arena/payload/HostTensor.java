package dev.holdfast.arena.payload;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** A contiguous tensor on memory that Java can read. Immutable, its elements are not. */
final class HostTensor implements Tensor {
  private final ElementType type;
  private final long[] shape;
  private final MemorySegment segment;

  private HostTensor(ElementType type, MemorySegment segment, long[] shape) {
    this.type = type;
    this.segment = segment;
    this.shape = shape;
  }

  static Tensor of(ElementType type, MemorySegment segment, long... shape) {
    long expected = Shapes.byteSize(type, shape);
    if (segment.byteSize() != expected) {
      throw new IllegalArgumentException(
          "the memory has not the size of the tensor: bytes=%d expected=%d elementType=%s shape=%s"
              .formatted(segment.byteSize(), expected, type, Arrays.toString(shape)));
    }
    return new HostTensor(type, segment, shape.clone());
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
  public MemorySegment segment() {
    return segment;
  }

  @Override
  public long byteSize() {
    return segment.byteSize();
  }

  @Override
  public long elementCount() {
    return segment.byteSize() / type.byteSize();
  }

  @Override
  public double get(long... index) {
    return type.read(segment, Shapes.flatIndex(shape, index) * type.byteSize());
  }

  @Override
  public String toString() {
    return "Tensor[" + type + ", shape=" + Arrays.toString(shape) + "]";
  }
}
