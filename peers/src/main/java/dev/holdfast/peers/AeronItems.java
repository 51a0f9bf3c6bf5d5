package dev.holdfast.peers;

import io.aeron.logbuffer.FragmentHandler;
import io.aeron.logbuffer.Header;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.agrona.DirectBuffer;

/**
 * Puts chunks together to items, in one buffer that is used again for each. An item that came in
 * one piece is read where it lies in the log.
 */
final class AeronItems implements FragmentHandler {
  private final int sizeBytes;
  private final ByteBuffer buffer;
  private final MemorySegment item;

  private Consumer<Object> consumer = _ -> {};
  private int missing;
  private int filled;

  AeronItems(int sizeBytes) {
    this.sizeBytes = sizeBytes;
    this.buffer = ByteBuffer.allocateDirect(sizeBytes);
    this.item = MemorySegment.ofBuffer(buffer);
  }

  /** Expects so many items. */
  void begin(int count, Consumer<Object> target) {
    missing = count;
    consumer = target;
  }

  boolean complete() {
    return missing == 0;
  }

  @Override
  public void onFragment(DirectBuffer log, int offset, int length, Header header) {
    if (length == sizeBytes) {
      deliver(where(log, offset));
      return;
    }
    log.getBytes(offset, buffer, filled, length);
    filled += length;
    if (filled == sizeBytes) {
      filled = 0;
      deliver(item);
    }
  }

  private void deliver(MemorySegment bytes) {
    missing--;
    consumer.accept(bytes);
  }

  private MemorySegment where(DirectBuffer log, int offset) {
    ByteBuffer whole = log.byteBuffer().duplicate().clear();
    return MemorySegment.ofBuffer(whole).asSlice((long) log.wrapAdjustment() + offset, sizeBytes);
  }
}
