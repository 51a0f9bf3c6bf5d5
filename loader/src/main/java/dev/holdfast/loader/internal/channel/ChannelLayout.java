package dev.holdfast.loader.internal.channel;

/**
 * Where everything lies in the memory of a channel pair, version 1, little-endian.
 *
 * <pre>
 *      0  +--------------------------------------------------------------+
 *         | magic (u64)      | version (u32), zero (u32)                 |
 *     16  | command ring's capacity (u64) | item ring's capacity (u64)   |
 *     32  | parent's pid (u64) | parent's start time in ticks (u64)      |
 *     48  | items that may be unread (u64)                               |
 *     56  | input ring's capacity (u64), 0 when there is none            |
 *         |                                                              |
 *   1024  | ended (u32): 1 when the parent wants the worker to end       |
 *   4096  +--------------------------------------------------------------+
 *         | words of the commands, parent to worker (1024 bytes)         |
 *   5120  | words of the items, worker to parent (1024 bytes)            |
 *   6144  | words of a region's inputs, parent to worker (1024 bytes)    |
 *   8192  +--------------------------------------------------------------+
 *         | command ring                                                 |
 *         +--------------------------------------------------------------+
 *         | item ring                                                    |
 *         +--------------------------------------------------------------+
 *         | input ring                                                   |
 *         +--------------------------------------------------------------+
 * </pre>
 *
 * The words of one direction; each has 128 bytes of its own, so that no two share a cache line or
 * the line that the processor fetches with it:
 *
 * <pre>
 *      0  published        u64  bytes ever written           producer
 *    128  consumed         u64  bytes ever read              consumer
 *    256  itemsConsumed    u64  items ever read              consumer, before consumed
 *    384  dataSignal       u32  futex word, bumped after published when the consumer waits
 *    512  consumerWaiting  u32  number of its wait, or 0     consumer
 *    640  spaceSignal      u32  futex word, bumped after consumed when the producer waits
 *    768  producerWaiting  u32  number of its wait, or 0     producer
 * </pre>
 */
public final class ChannelLayout {
  /** {@code HFCHANNL} as its bytes stand in memory. */
  public static final long MAGIC = 0x4C4E_4E41_4843_4648L;

  /** The version that this code writes and reads. */
  public static final int VERSION = 1;

  static final long MAGIC_OFFSET = 0;
  static final long VERSION_OFFSET = 8;
  static final long COMMAND_CAPACITY_OFFSET = 16;
  static final long ITEM_CAPACITY_OFFSET = 24;
  static final long PARENT_PID_OFFSET = 32;
  static final long PARENT_START_OFFSET = 40;
  static final long ITEM_LIMIT_OFFSET = 48;
  static final long INPUT_CAPACITY_OFFSET = 56;
  static final long ENDED_OFFSET = 1024;
  static final long COMMAND_WORDS_OFFSET = 4096;
  static final long ITEM_WORDS_OFFSET = 5120;
  static final long INPUT_WORDS_OFFSET = 6144;
  static final long RINGS_OFFSET = 8192;

  static final long PUBLISHED = 0;
  static final long CONSUMED = 128;
  static final long ITEMS_CONSUMED = 256;
  static final long DATA_SIGNAL = 384;
  static final long CONSUMER_WAITING = 512;
  static final long SPACE_SIGNAL = 640;
  static final long PRODUCER_WAITING = 768;

  /** Bytes that the words of one direction take. */
  public static final long WORDS_BYTES = 1024;

  private ChannelLayout() {}

  static long byteSize(long commandCapacity, long itemCapacity, long inputCapacity) {
    return RINGS_OFFSET + commandCapacity + itemCapacity + inputCapacity;
  }
}
