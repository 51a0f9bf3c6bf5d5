package dev.holdfast.arena.payload;

import dev.holdfast.arena.internal.memory.BulkCopy;
import java.io.StreamCorruptedException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Tensors on the host. Meta: one byte for the element type, one for the number of dimensions, then
 * each as a variable-length number.
 */
final class TensorHandler implements PayloadHandler<Tensor> {
  private static final int MAX_RANK = 255;

  @Override
  public String kind() {
    return "Tensor";
  }

  @Override
  public Class<Tensor> type() {
    return Tensor.class;
  }

  @Override
  public boolean matches(Tensor candidate) {
    return candidate.location() == Tensor.Location.HOST;
  }

  @Override
  public MemorySegment bytes(Tensor payload) {
    MemorySegment bytes = payload.segment();
    if (bytes.byteSize() != payload.byteSize()) {
      throw new IllegalArgumentException(
          "the memory has not the size of the tensor: bytes=%d expected=%d class=%s"
              .formatted(bytes.byteSize(), payload.byteSize(), payload.getClass().getName()));
    }
    return bytes;
  }

  @Override
  public byte[] meta(Tensor payload) {
    long[] shape = payload.shape();
    if (shape.length > MAX_RANK) {
      throw new IllegalArgumentException(
          "the tensor has too many dimensions: dimensions=%d limit=%d"
              .formatted(shape.length, MAX_RANK));
    }
    byte[] meta = new byte[2 + shape.length * Varint.MAX_BYTES];
    meta[0] = (byte) payload.elementType().code();
    meta[1] = (byte) shape.length;
    int end = 2;
    for (long dimension : shape) {
      end = Varint.write(meta, end, dimension);
    }
    return Arrays.copyOf(meta, end);
  }

  @Override
  public Tensor restoreView(MemorySegment view, byte[] meta) throws StreamCorruptedException {
    return restore(view, meta);
  }

  @Override
  public Tensor restoreCopy(MemorySegment bytes, byte[] meta, boolean writable)
      throws StreamCorruptedException {
    ElementType type = type(meta);
    int length = StandardHandlers.elements(bytes, type.byteSize(), kind());
    MemorySegment copy = Copies.allocate(type, length);
    BulkCopy.copy(bytes, copy);
    return restore(writable ? copy : copy.asReadOnly(), meta);
  }

  private static Tensor restore(MemorySegment bytes, byte[] meta) throws StreamCorruptedException {
    ElementType type = type(meta);
    ByteCursor cursor = new ByteCursor(meta, 2, meta.length);
    long[] shape = new long[Byte.toUnsignedInt(meta[1])];
    for (int d = 0; d < shape.length; d++) {
      shape[d] = cursor.varint();
    }
    try {
      return HostTensor.of(type, bytes, shape);
    } catch (IllegalArgumentException e) {
      StreamCorruptedException damaged = new StreamCorruptedException(e.getMessage());
      damaged.initCause(e);
      throw damaged;
    }
  }

  private static ElementType type(byte[] meta) throws StreamCorruptedException {
    ElementType type = meta.length < 2 ? null : ElementType.ofCode(meta[0]);
    if (type == null) {
      throw new StreamCorruptedException(
          "the element type of a tensor is unknown: metaBytes=" + meta.length);
    }
    return type;
  }
}
