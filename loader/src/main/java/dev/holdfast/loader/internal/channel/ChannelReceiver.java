package dev.holdfast.loader.internal.channel;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.holdfast.arena.ArenaCorruptedException;
import dev.holdfast.arena.internal.memory.SharedWords;
import dev.holdfast.arena.internal.wait.SpinBudget;
import dev.holdfast.arena.internal.wait.WaitPoint;
import dev.holdfast.arena.internal.wait.Waiting;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The consumer's end of a channel. For one thread at a time.
 *
 * <p>{@link #receive} copies the next record into memory of its own, so that the ring's bytes are
 * free again and nothing that the other process writes later is seen. The record can be read until
 * the next call.
 */
public final class ChannelReceiver {
  /** Up to here an announced length is believed; a longer record gets its memory as it comes. */
  private static final long BELIEVED_BYTES = 64L << 20;

  private static final int KEPT_BYTES = 1 << 20;
  private static final int FIRST_BYTES = 4096;

  private final Channel channel;
  private final Data data = new Data();

  // mutable state
  private long consumed;
  private long publishedSeen;
  private long itemsConsumed;
  private byte[] bytes = new byte[FIRST_BYTES];
  private MemorySegment memory = MemorySegment.ofArray(bytes);
  private int filled;
  private boolean inRecord;
  private int kind;
  private boolean item;
  private long one;
  private long two;
  private long startedAt;
  private @Nullable ArenaCorruptedException broken;

  /**
   * Opens the consumer's end, which nobody else has open.
   *
   * @param channel the direction
   */
  public ChannelReceiver(Channel channel) {
    this.channel = channel;
    this.consumed = channel.consumedVolatile();
    this.publishedSeen = consumed;
  }

  /**
   * Receives the next record.
   *
   * @param timeoutNanos how long to wait without any sign of the producer; {@link Long#MAX_VALUE}
   *     is for ever
   * @param check looked at while waiting; what it throws ends the call, and a record that had come
   *     in part goes on coming at the next one
   * @return false when the time is over
   * @throws ArenaCorruptedException when the ring holds nonsense, and then at each call
   */
  public boolean receive(long timeoutNanos, Runnable check) {
    while (data.ready() || Waiting.await(data, timeoutNanos, check)) {
      if (takeFrame()) {
        return true;
      }
    }
    return false;
  }

  /**
   * Receives the next record if all of it is there.
   *
   * @return false when it is not
   */
  public boolean poll() {
    while (data.ready()) {
      if (takeFrame()) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns whether something lies unread.
   *
   * @return true when a frame is there
   */
  public boolean ready() {
    return data.ready();
  }

  /** Returns the last record's kind. */
  public int kind() {
    return kind;
  }

  /** Returns the last record's first number. */
  public long one() {
    return one;
  }

  /** Returns the last record's second number. */
  public long two() {
    return two;
  }

  /** Returns the last record's bytes, which the next call overwrites. */
  public MemorySegment body() {
    return memory.asSlice(0, filled);
  }

  /**
   * Returns the last record's bytes for good, and without a copy when the record was longer than
   * those before it. {@link #body} is not to be asked for afterwards.
   */
  public byte[] takeBody() {
    byte[] taken = bytes;
    if (filled == taken.length) {
      filled = 0;
      replaceMemory(FIRST_BYTES);
    } else {
      taken = Arrays.copyOf(bytes, filled);
    }
    return taken;
  }

  /**
   * Returns where in the stream the last record began, to compare with {@link #publishedPosition}.
   */
  public long position() {
    return startedAt;
  }

  /** Returns how far the producer has come. */
  public long publishedPosition() {
    return published();
  }

  /** Gives the memory of a long record back. */
  public void trim() {
    if (bytes.length > KEPT_BYTES && !inRecord) {
      filled = 0;
      replaceMemory(FIRST_BYTES);
    }
  }

  private long published() {
    if (broken != null) {
      throw broken;
    }
    long published = channel.publishedVolatile();
    if (published < publishedSeen
        || published - consumed > channel.capacity()
        || published % 8 != 0) {
      throw broken(channel.corrupted("the writer's count cannot be true", "published", published));
    }
    publishedSeen = published;
    return published;
  }

  /** Takes one frame; returns true when a record is complete. */
  private boolean takeFrame() {
    long available = published() - consumed;
    MemorySegment ring = channel.ring();
    long capacity = channel.capacity();
    long at = consumed % capacity;
    long bodyBytes = Integer.toUnsignedLong(ring.get(Frame.INT, at + Frame.BODY_BYTES));
    int flags = ring.get(JAVA_BYTE, at + Frame.FLAGS);
    short mark = ring.get(Frame.SHORT, at + Frame.MARKED);
    boolean first = (flags & Frame.FIRST) != 0;
    boolean cancel = (flags & Frame.CANCEL) != 0;
    if (mark != Frame.MARK
        || available < Frame.HEADER_BYTES
        || Frame.bytes(bodyBytes) > available
        || first == inRecord
        || (cancel && bodyBytes != 0)) {
      throw broken(channel.corrupted("a frame cannot be true", "position", consumed));
    }
    if (first) {
      begin(ring, at, flags);
    }
    if (!cancel) {
      long rest = ring.get(Frame.LONG, (at + Frame.REST) % capacity);
      append(ring, (at + Frame.HEADER_BYTES) % capacity, bodyBytes, rest);
    }
    boolean last = (flags & Frame.LAST) != 0;
    inRecord = !last;
    boolean complete = last && !cancel;
    if (complete && item) {
      itemsConsumed++;
    }
    consumed += Frame.bytes(bodyBytes);
    channel.consume(consumed, itemsConsumed);
    return complete;
  }

  private void begin(MemorySegment ring, long at, int flags) {
    startedAt = consumed;
    filled = 0;
    kind = ring.get(JAVA_BYTE, at + Frame.KIND);
    item = (flags & Frame.ITEM) != 0;
    one = ring.get(Frame.LONG, (at + Frame.NUMBER_ONE) % channel.capacity());
    two = ring.get(Frame.LONG, (at + Frame.NUMBER_TWO) % channel.capacity());
  }

  private void append(MemorySegment ring, long at, long bodyBytes, long rest) {
    if (rest < 0 || rest > ChannelSender.LONGEST_RECORD - filled - bodyBytes) {
      throw broken(channel.corrupted("a record's length cannot be true", "restBytes", rest));
    }
    long needed = filled + bodyBytes;
    if (needed > bytes.length) {
      long wanted = Math.max(needed, Math.min(needed + rest, BELIEVED_BYTES));
      long doubled = Math.min(2L * bytes.length, needed + rest);
      replaceMemory((int) Math.max(wanted, doubled));
    }
    long head = Math.min(bodyBytes, channel.capacity() - at);
    MemorySegment.copy(ring, at, memory, filled, head);
    if (head < bodyBytes) {
      MemorySegment.copy(ring, 0, memory, filled + head, bodyBytes - head);
    }
    filled += (int) bodyBytes;
  }

  private void replaceMemory(int size) {
    byte[] larger = new byte[size];
    System.arraycopy(bytes, 0, larger, 0, filled);
    bytes = larger;
    memory = MemorySegment.ofArray(larger);
  }

  private ArenaCorruptedException broken(ArenaCorruptedException reason) {
    broken = reason;
    return reason;
  }

  /** What the consumer waits for. */
  private final class Data implements WaitPoint {
    private final SpinBudget spins = new SpinBudget();

    @Override
    public boolean ready() {
      return published() != consumed;
    }

    @Override
    public SpinBudget spins() {
      return spins;
    }

    @Override
    public void announce(int wait) {
      channel.consumerWaiting().announce(wait);
    }

    @Override
    public SharedWords words() {
      return channel.words();
    }

    @Override
    public long signalOffset() {
      return channel.at(ChannelLayout.DATA_SIGNAL);
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
