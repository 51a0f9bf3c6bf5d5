package dev.holdfast.arena.payload;

import java.io.StreamCorruptedException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Byte buffers of every sort, from position to limit. Its meta is the byte order. */
final class ByteBufferHandler implements PayloadHandler<ByteBuffer> {

  @Override
  public String kind() {
    return "ByteBuffer";
  }

  @Override
  public Class<ByteBuffer> type() {
    return ByteBuffer.class;
  }

  @Override
  public MemorySegment bytes(ByteBuffer payload) {
    return MemorySegment.ofBuffer(payload);
  }

  @Override
  public byte[] meta(ByteBuffer payload) {
    return ByteOrders.encode(payload.order());
  }

  @Override
  public ByteBuffer restoreView(MemorySegment view, byte[] meta) throws StreamCorruptedException {
    ByteOrder order = ByteOrders.decode(meta);
    StandardHandlers.elements(view, 1, kind());
    return view.asByteBuffer().order(order);
  }

  @Override
  public ByteBuffer restoreCopy(MemorySegment bytes, byte[] meta, boolean writable)
      throws StreamCorruptedException {
    ByteOrder order = ByteOrders.decode(meta);
    byte[] copy = new byte[StandardHandlers.elements(bytes, 1, kind())];
    Copies.toArray(bytes, ValueLayout.JAVA_BYTE, copy, copy.length);
    ByteBuffer buffer = ByteBuffer.wrap(copy);
    return (writable ? buffer : buffer.asReadOnlyBuffer()).order(order);
  }
}
