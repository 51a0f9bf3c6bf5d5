package dev.holdfast.arena.payload;

import dev.holdfast.arena.internal.memory.BulkCopy;
import java.io.StreamCorruptedException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * Buffers of shorts, chars, ints, longs, floats and doubles, from position to limit. Bytes travel
 * in the buffer's own order, which is the meta.
 *
 * <p>A heap copy in native order lies on an array of the element type. In the other order it lies
 * on bytes, since only then the buffer can keep its order.
 *
 * @param <B> the buffer type
 */
final class TypedBufferHandler<B extends Buffer> implements PayloadHandler<B> {
  private final Class<B> type;
  private final int elementBytes;
  private final Function<B, ByteOrder> order;
  private final Function<ByteBuffer, B> onBytes;
  private final ElementType element;
  private final Function<Object, B> onArray;
  private final UnaryOperator<B> readOnly;

  TypedBufferHandler(
      Class<B> type,
      int elementBytes,
      Function<B, ByteOrder> order,
      Function<ByteBuffer, B> onBytes,
      ElementType element,
      Function<Object, B> onArray,
      UnaryOperator<B> readOnly) {
    this.type = type;
    this.elementBytes = elementBytes;
    this.order = order;
    this.onBytes = onBytes;
    this.element = element;
    this.onArray = onArray;
    this.readOnly = readOnly;
  }

  @Override
  public String kind() {
    return type.getSimpleName();
  }

  @Override
  public Class<B> type() {
    return type;
  }

  @Override
  public MemorySegment bytes(B payload) {
    if (payload instanceof CharBuffer chars && isOverText(chars)) {
      char[] copy = new char[chars.remaining()];
      chars.duplicate().get(copy);
      return MemorySegment.ofArray(copy);
    }
    if (payload.isDirect()) {
      BulkCopy.leaveToTheJvm(); // a view of a mapped file does not say so
    }
    return MemorySegment.ofBuffer(payload);
  }

  /** A buffer over a {@link CharSequence} has no memory; nothing but the refusal tells it apart. */
  private static boolean isOverText(CharBuffer chars) {
    if (chars.isDirect() || chars.hasArray()) {
      return false;
    }
    try {
      return MemorySegment.ofBuffer(chars).byteSize() < 0;
    } catch (IllegalArgumentException e) {
      return true;
    }
  }

  @Override
  public byte[] meta(B payload) {
    return ByteOrders.encode(order.apply(payload));
  }

  @Override
  public B restoreView(MemorySegment view, byte[] meta) throws StreamCorruptedException {
    ByteOrder decoded = ByteOrders.decode(meta);
    StandardHandlers.elements(view, elementBytes, kind());
    StandardHandlers.elements(view, 1, kind());
    return onBytes.apply(view.asByteBuffer().order(decoded));
  }

  @Override
  public B restoreCopy(MemorySegment bytes, byte[] meta, boolean writable)
      throws StreamCorruptedException {
    ByteOrder decoded = ByteOrders.decode(meta);
    int length = StandardHandlers.elements(bytes, elementBytes, kind());
    B copy = decoded == ByteOrder.nativeOrder() ? onArray(bytes, length) : onBytes(bytes, decoded);
    return writable ? copy : readOnly.apply(copy);
  }

  private B onArray(MemorySegment bytes, int length) {
    MemorySegment memory = Copies.allocate(element, length);
    BulkCopy.copy(bytes, memory);
    return onArray.apply(memory.heapBase().orElseThrow());
  }

  private B onBytes(MemorySegment bytes, ByteOrder decoded) throws StreamCorruptedException {
    byte[] copy = new byte[StandardHandlers.elements(bytes, 1, kind())];
    Copies.toArray(bytes, ValueLayout.JAVA_BYTE, copy, copy.length);
    return onBytes.apply(ByteBuffer.wrap(copy).order(decoded));
  }
}
