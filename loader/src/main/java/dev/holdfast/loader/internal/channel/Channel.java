package dev.holdfast.loader.internal.channel;

import dev.holdfast.arena.ArenaCorruptedException;
import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.internal.memory.SharedWords;
import dev.holdfast.arena.internal.memory.WaitWord;
import java.lang.foreign.MemorySegment;

/**
 * One direction of a pair: a byte ring with one producer and one consumer, and the words that say
 * how far they are. The same class serves both directions and, over heap memory, the tests.
 *
 * <p>Counters are absolute and only grow; the place of a byte is its number modulo the capacity.
 * What lies between {@code consumed} and {@code published} belongs to the consumer, the rest to the
 * producer.
 *
 * <p>Publication is a release of {@code published} after the bytes, and of {@code consumed} after
 * they were read. Both are written with volatile order, because each is followed by a look at
 * whether the other side waits: with a mere release that look may come before the write, and a
 * waiter that announced itself in between is never woken.
 */
public final class Channel {
  /** The smallest ring that pieces of records with a receipt fit in. */
  public static final long LEAST_CAPACITY = 512;

  private final String name;
  private final SharedWords words;
  private final WaitWord consumerWaiting;
  private final WaitWord producerWaiting;
  private final long base;
  private final MemorySegment ring;
  private final long capacity;
  private final Presence presence;

  /**
   * Makes one side's view of a direction.
   *
   * @param name how errors call it
   * @param words the shared words
   * @param base offset of this direction's words
   * @param ring the ring's bytes; their number is the capacity, a multiple of 8
   * @param presence keeps the memory in place while a thread waits
   */
  public Channel(String name, SharedWords words, long base, MemorySegment ring, Presence presence) {
    this.name = name;
    this.words = words;
    this.base = base;
    this.consumerWaiting =
        new WaitWord(words, at(ChannelLayout.CONSUMER_WAITING), at(ChannelLayout.DATA_SIGNAL));
    this.producerWaiting =
        new WaitWord(words, at(ChannelLayout.PRODUCER_WAITING), at(ChannelLayout.SPACE_SIGNAL));
    this.ring = ring;
    this.capacity = ring.byteSize();
    this.presence = presence;
    if (!canHave(capacity)) {
      throw new IllegalArgumentException(
          "not a capacity of a ring: capacity=" + capacity + " least=" + LEAST_CAPACITY);
    }
  }

  /** Returns whether a ring may be that large. Frames begin on multiples of 8. */
  static boolean canHave(long capacity) {
    return capacity >= LEAST_CAPACITY && capacity % 8 == 0;
  }

  long capacity() {
    return capacity;
  }

  MemorySegment ring() {
    return ring;
  }

  SharedWords words() {
    return words;
  }

  WaitWord consumerWaiting() {
    return consumerWaiting;
  }

  WaitWord producerWaiting() {
    return producerWaiting;
  }

  Presence presence() {
    return presence;
  }

  /**
   * Keeps the memory in place until {@link #release}, for who may still be at work when it is given
   * up.
   *
   * @return false when it is gone
   */
  public boolean retain() {
    return presence.retain();
  }

  /** Ends what {@link #retain} began. */
  public void release() {
    presence.release();
  }

  long at(long word) {
    return base + word;
  }

  /** Returns whether nothing lies unread. For any thread of the consumer's process. */
  public boolean isEmpty() {
    return publishedVolatile() == consumedVolatile();
  }

  long publishedVolatile() {
    return words.getVolatile(base + ChannelLayout.PUBLISHED);
  }

  long consumedVolatile() {
    return words.getVolatile(base + ChannelLayout.CONSUMED);
  }

  long itemsConsumedAcquire() {
    return words.getAcquire(base + ChannelLayout.ITEMS_CONSUMED);
  }

  /** Publishes without waking the consumer, who finds it with what is published next. */
  void publishQuietly(long published) {
    words.setVolatile(base + ChannelLayout.PUBLISHED, published);
  }

  void publish(long published) {
    publishQuietly(published);
    consumerWaiting.signal();
  }

  void consume(long consumed, long itemsConsumed) {
    words.setRelease(base + ChannelLayout.ITEMS_CONSUMED, itemsConsumed);
    words.setVolatile(base + ChannelLayout.CONSUMED, consumed);
    producerWaiting.signal();
  }

  private void signal(long word) {
    var _ = words.getAndAddInt(base + word, 1);
    words.wake(base + word);
  }

  /**
   * Makes the other process's producer look at its conditions; called by the consumer's process.
   */
  public void nudgeProducer() {
    signal(ChannelLayout.SPACE_SIGNAL);
  }

  /**
   * Makes the other process's consumer look at its conditions; called by the producer's process.
   */
  public void nudgeConsumer() {
    signal(ChannelLayout.DATA_SIGNAL);
  }

  /**
   * Makes waiters of the own process look at their conditions. The signals that they wait on are
   * the other side's to write, so this only wakes: a waiter that was just about to wait looks again
   * at the end of its slice.
   */
  public void wakeOwnWaiters() {
    words.wake(base + ChannelLayout.DATA_SIGNAL);
    words.wake(base + ChannelLayout.SPACE_SIGNAL);
  }

  ArenaCorruptedException corrupted(String what, String factName, long value) {
    return new ArenaCorruptedException(
        FailureDetail.of(what)
            .with("channel", name)
            .with(factName, value)
            .with("capacity", capacity)
            .advise("close the iterable; nothing more can be read from this worker"));
  }
}
