package dev.holdfast.loader.internal.channel;

import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.UnitReceipt;
import dev.holdfast.arena.UnitTooLargeException;
import dev.holdfast.arena.internal.memory.SharedWords;
import dev.holdfast.arena.internal.wait.SpinBudget;
import dev.holdfast.arena.internal.wait.WaitPoint;
import dev.holdfast.arena.internal.wait.Waiting;
import java.lang.foreign.MemorySegment;

/**
 * The producer's end of a channel. For one thread at a time.
 *
 * <p>A record is prepared and then published or cancelled. {@link #prepare} does everything that
 * can wait or fail: it sends all pieces but the last ahead, and copies the last one into room of
 * its own, the tail of which stays free for a receipt. {@link #publish(UnitReceipt)} only stores.
 * So a unit can be committed between the two, and its record follows without fail.
 */
public final class ChannelSender {
  /** The longest record: it is put together in one array on the other side. */
  public static final long LONGEST_RECORD = Integer.MAX_VALUE - 64;

  /*
   * Room for the frame that cancels a record is never given to pieces that are not the last, so that a record
   * can be cancelled without waiting when a wait between its pieces was given up.
   */

  private final Channel channel;
  private final long itemLimit;
  private final long wholeLimit;
  private final long pieceLimit;
  private final Room room = new Room();
  private final MemorySegment receiptBytes = MemorySegment.ofArray(new byte[UnitReceipt.BYTES]);

  // mutable state
  private long published;
  private long consumedSeen;
  private long itemsPublished;
  private long itemsConsumedSeen;
  private boolean piecesSent;
  private long preparedBytes;
  private long tailAt;
  private boolean preparedItem;

  /**
   * Opens the producer's end, which nobody else has open.
   *
   * @param channel the direction
   * @param itemLimit how many items may be unread
   */
  public ChannelSender(Channel channel, long itemLimit) {
    this.channel = channel;
    this.itemLimit = itemLimit;
    this.wholeLimit = channel.capacity() / 2;
    this.pieceLimit = (channel.capacity() / 4 & -8) - Frame.HEADER_BYTES;
    this.published = channel.publishedVolatile();
  }

  /**
   * Sends a record without a tail that is no item.
   *
   * @param kind the record's kind, a byte
   * @param one its first number
   * @param two its second number
   * @param body its bytes
   * @param check looked at while waiting for room; what it throws cancels the record
   */
  public void send(int kind, long one, long two, MemorySegment body, Runnable check) {
    prepare(kind, one, two, body, 0, false, check);
    publish();
  }

  /**
   * Sends a record that says something of the one which follows at once. A consumer that sleeps is
   * not woken for it alone: that would cost both sides a way through the kernel for nothing.
   *
   * @param kind the record's kind, a byte
   * @param one its first number
   * @param two its second number
   * @param body its bytes
   * @param check looked at while waiting for room; what it throws cancels the record
   */
  public void sendAhead(int kind, long one, long two, MemorySegment body, Runnable check) {
    prepare(kind, one, two, body, 0, false, check);
    piecesSent = false;
    published += preparedBytes;
    channel.publishQuietly(published);
  }

  /**
   * Gets room for a record and copies it. Waits for room, and for an item also until fewer than the
   * limit are unread. When this throws, nothing of the record will arrive.
   *
   * @param kind the record's kind, a byte
   * @param one its first number
   * @param two its second number
   * @param body its bytes
   * @param tailBytes bytes kept free at its end: 0, or those of a receipt
   * @param item whether it counts as an item
   * @param check looked at while waiting
   * @throws UnitTooLargeException when the record is too long for any channel
   */
  public void prepare(
      int kind,
      long one,
      long two,
      MemorySegment body,
      int tailBytes,
      boolean item,
      Runnable check) {
    long total = body.byteSize() + tailBytes;
    if (total > LONGEST_RECORD) {
      throw new UnitTooLargeException(
          FailureDetail.of("a record is longer than any channel can carry")
              .with("recordBytes", total)
              .with("most", LONGEST_RECORD)
              .advise("use an arena, or split the item"));
    }
    preparedItem = item;
    int flags = Frame.FIRST | (item ? Frame.ITEM : 0);
    long offset = 0;
    if (Frame.bytes(total) > wholeLimit) {
      try {
        while (total - offset > pieceLimit) {
          long bytes = Math.min(pieceLimit, body.byteSize() - offset);
          awaitRoom(Frame.bytes(bytes) + Frame.HEADER_BYTES, item, check);
          writeHeader(bytes, kind, flags, one, two, total - offset - bytes);
          copyIn(body, offset, published + Frame.HEADER_BYTES, bytes);
          advance(Frame.bytes(bytes));
          piecesSent = true;
          offset += bytes;
          flags &= ~Frame.FIRST;
        }
        awaitRoom(Frame.bytes(total - offset), item, check);
      } catch (RuntimeException | Error e) {
        cancel();
        throw e;
      }
    } else {
      awaitRoom(Frame.bytes(total), item, check);
    }
    writeHeader(total - offset, kind, flags | Frame.LAST, one, two, 0);
    copyIn(body, offset, published + Frame.HEADER_BYTES, body.byteSize() - offset);
    tailAt = published + Frame.HEADER_BYTES + body.byteSize() - offset;
    preparedBytes = Frame.bytes(total - offset);
  }

  /** Publishes the prepared record, which has no tail. Neither waits nor fails. */
  public void publish() {
    piecesSent = false;
    if (preparedItem) {
      itemsPublished++;
    }
    advance(preparedBytes);
  }

  /**
   * Stores a receipt in the tail of the prepared record and publishes it. Neither waits nor fails.
   *
   * @param receipt the unit that the record belongs to
   */
  public void publish(UnitReceipt receipt) {
    receipt.encode(receiptBytes, 0);
    copyIn(receiptBytes, 0, tailAt, UnitReceipt.BYTES);
    publish();
  }

  /** Drops the record that is being sent or prepared. Does not wait. */
  public void cancel() {
    if (piecesSent) {
      piecesSent = false;
      writeHeader(0, 0, Frame.CANCEL | Frame.LAST, 0, 0, 0);
      advance(Frame.HEADER_BYTES);
    }
  }

  /**
   * Returns whether everything that was published has been read.
   *
   * @return true when the ring is empty
   */
  public boolean isDrained() {
    return consumed() == published;
  }

  /** Returns how far the consumer has come. */
  public long consumedPosition() {
    return consumed();
  }

  private void advance(long bytes) {
    published += bytes;
    channel.publish(published);
  }

  private void awaitRoom(long bytes, boolean item, Runnable check) {
    room.bytes = bytes;
    room.item = item;
    if (!room.ready()) {
      var _ = Waiting.await(room, Long.MAX_VALUE, check);
    }
  }

  private long consumed() {
    long consumed = channel.consumedVolatile();
    if (consumed < consumedSeen || consumed > published || consumed % 8 != 0) {
      throw channel.corrupted("the reader's count cannot be true", "consumed", consumed);
    }
    consumedSeen = consumed;
    return consumed;
  }

  private long itemsConsumed() {
    long items = channel.itemsConsumedAcquire();
    if (items < itemsConsumedSeen || items > itemsPublished) {
      throw channel.corrupted("the reader's count of items cannot be true", "itemsConsumed", items);
    }
    itemsConsumedSeen = items;
    return items;
  }

  private void writeHeader(long bytes, int kind, int flags, long one, long two, long rest) {
    MemorySegment ring = channel.ring();
    long at = published % channel.capacity();
    // the ring's end may come after any 8 bytes of the header
    ring.set(Frame.INT, at + Frame.BODY_BYTES, (int) bytes);
    ring.set(java.lang.foreign.ValueLayout.JAVA_BYTE, at + Frame.KIND, (byte) kind);
    ring.set(java.lang.foreign.ValueLayout.JAVA_BYTE, at + Frame.FLAGS, (byte) flags);
    ring.set(Frame.SHORT, at + Frame.MARKED, Frame.MARK);
    ring.set(Frame.LONG, (at + Frame.NUMBER_ONE) % channel.capacity(), one);
    ring.set(Frame.LONG, (at + Frame.NUMBER_TWO) % channel.capacity(), two);
    ring.set(Frame.LONG, (at + Frame.REST) % channel.capacity(), rest);
  }

  private void copyIn(MemorySegment source, long offset, long position, long bytes) {
    MemorySegment ring = channel.ring();
    long at = position % channel.capacity();
    long first = Math.min(bytes, channel.capacity() - at);
    MemorySegment.copy(source, offset, ring, at, first);
    if (first < bytes) {
      MemorySegment.copy(source, offset + first, ring, 0, bytes - first);
    }
  }

  /** What the producer waits for. */
  private final class Room implements WaitPoint {
    private final SpinBudget spins = new SpinBudget();
    private long bytes;
    private boolean item;

    @Override
    public boolean ready() {
      return channel.capacity() - (published - consumed()) >= bytes
          && (!item || itemsPublished - itemsConsumed() < itemLimit);
    }

    @Override
    public SpinBudget spins() {
      return spins;
    }

    @Override
    public void announce(int wait) {
      channel.producerWaiting().announce(wait);
    }

    @Override
    public SharedWords words() {
      return channel.words();
    }

    @Override
    public long signalOffset() {
      return channel.at(ChannelLayout.SPACE_SIGNAL);
    }

    @Override
    public boolean retain() {
      return channel.presence().retain();
    }

    @Override
    public void release() {
      channel.presence().release();
    }
  }
}
