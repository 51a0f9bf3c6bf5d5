package dev.holdfast.arena.internal.memory;

/**
 * Layout version 1 of an arena's shared memory. All numbers are little-endian. Words that two
 * processes use have 128 bytes of their own, so that no two of them share a cache line or a
 * prefetched pair of lines.
 *
 * <pre>
 *   offset  bytes  header
 *        0      8  magic, "HOLDFAST"
 *        8      4  layout version, stored last
 *       12      4  kind of arena: 1 pool, 2 ring
 *       16     16  arena id, high half first
 *       32      8  bytes of the whole file
 *       40      8  offset of the data
 *       48      8  bytes of the data
 *       56      8  pool: segment size; ring: capacity
 *       64      8  pool: distance between segments; ring: 0
 *       72      8  pool: number of segments; ring: 0
 *       80      8  owner's pid
 *       88      8  owner's start time, in clock ticks since boot
 *
 *   offset  bytes  word
 *      256      8  published: units
 *      264      8  published: ring's head, in bytes, stored before the units
 *      384      8  reclaimed: units
 *      392      8  reclaimed: ring's tail, in bytes, stored before the units
 *      512      4  spaceSignal, a futex word
 *      640      4  writerWaiting
 *      768      4  ownerShutdown
 *      896      4  peerShutdown
 *     1024      8  writerClaim
 *     1152      8  readerClaim
 *     1280      8  generation
 *     1288      8  generation: number of its first unit, stored before the generation
 *     1296      8  generation: ring's head where it begins, in bytes, stored before the generation
 *
 *     4096  256*i  words of the writer for segment i, 128 bytes, then of the reader, 128 bytes
 *
 *   offset  bytes  words of a segment
 *        0      8  sealed: number of the unit + 1, stored last
 *        8      8  sealedSpan: bytes of the sealed unit
 *       16      8  sealedKey: what its ticket knows
 *       24      8  sealedSince: milliseconds since boot, for people
 *      128      8  holding
 *      136      8  taken: number of the unit + 1 when its ticket was recovered or discarded
 * </pre>
 *
 * The data begin at the first page of the backing behind that.
 */
public final class ArenaLayout {
  /** "HOLDFAST" read as a little-endian number. */
  public static final long MAGIC = 0x5453_4146_444c_4f48L;

  public static final int VERSION = 1;
  public static final int KIND_POOL = 1;
  public static final int KIND_RING = 2;

  /** Distance between two words. */
  public static final long WORD_BYTES = 128;

  public static final long MAGIC_OFFSET = 0;
  public static final long VERSION_OFFSET = MAGIC_OFFSET + Long.BYTES;
  public static final long KIND_OFFSET = VERSION_OFFSET + Integer.BYTES;
  public static final long ARENA_ID_OFFSET = KIND_OFFSET + Integer.BYTES;
  public static final long FILE_BYTES_OFFSET = ARENA_ID_OFFSET + 2 * Long.BYTES;
  public static final long DATA_OFFSET_OFFSET = FILE_BYTES_OFFSET + Long.BYTES;
  public static final long DATA_BYTES_OFFSET = DATA_OFFSET_OFFSET + Long.BYTES;
  public static final long UNIT_BYTES_OFFSET = DATA_BYTES_OFFSET + Long.BYTES;
  public static final long STRIDE_OFFSET = UNIT_BYTES_OFFSET + Long.BYTES;
  public static final long SEGMENT_COUNT_OFFSET = STRIDE_OFFSET + Long.BYTES;
  public static final long OWNER_PID_OFFSET = SEGMENT_COUNT_OFFSET + Long.BYTES;
  public static final long OWNER_START_OFFSET = OWNER_PID_OFFSET + Long.BYTES;

  public static final long PUBLISHED_OFFSET = 2 * WORD_BYTES;
  public static final long HEAD_OFFSET = PUBLISHED_OFFSET + Long.BYTES;
  public static final long RECLAIMED_OFFSET = PUBLISHED_OFFSET + WORD_BYTES;
  public static final long TAIL_OFFSET = RECLAIMED_OFFSET + Long.BYTES;
  public static final long SPACE_SIGNAL_OFFSET = RECLAIMED_OFFSET + WORD_BYTES;
  public static final long WRITER_WAITING_OFFSET = SPACE_SIGNAL_OFFSET + WORD_BYTES;
  public static final long OWNER_SHUTDOWN_OFFSET = WRITER_WAITING_OFFSET + WORD_BYTES;
  public static final long PEER_SHUTDOWN_OFFSET = OWNER_SHUTDOWN_OFFSET + WORD_BYTES;
  public static final long WRITER_CLAIM_OFFSET = PEER_SHUTDOWN_OFFSET + WORD_BYTES;
  public static final long READER_CLAIM_OFFSET = WRITER_CLAIM_OFFSET + WORD_BYTES;
  public static final long GENERATION_OFFSET = READER_CLAIM_OFFSET + WORD_BYTES;
  public static final long GENERATION_START_OFFSET = GENERATION_OFFSET + Long.BYTES;
  public static final long GENERATION_HEAD_OFFSET = GENERATION_START_OFFSET + Long.BYTES;

  /** Bytes of the header and the words, one page. */
  public static final long HEADER_BYTES = 4096;

  private static final long PER_SEGMENT = 2 * WORD_BYTES;
  private static final long SPAN = Long.BYTES;
  private static final long KEY = SPAN + Long.BYTES;
  private static final long SINCE = KEY + Long.BYTES;
  private static final long TAKEN = Long.BYTES;

  private ArenaLayout() {}

  /** Returns the offset of a segment's {@code sealed} word. */
  public static long sealedOffset(long segment) {
    return HEADER_BYTES + segment * PER_SEGMENT;
  }

  /** Returns the offset of a segment's {@code sealedSpan} word. */
  public static long sealedSpanOffset(long segment) {
    return sealedOffset(segment) + SPAN;
  }

  /** Returns the offset of a segment's {@code sealedKey} word. */
  public static long sealedKeyOffset(long segment) {
    return sealedOffset(segment) + KEY;
  }

  /** Returns the offset of a segment's {@code sealedSince} word. */
  public static long sealedSinceOffset(long segment) {
    return sealedOffset(segment) + SINCE;
  }

  /** Returns the offset of a segment's {@code holding} word. */
  public static long holdingOffset(long segment) {
    return sealedOffset(segment) + WORD_BYTES;
  }

  /** Returns the offset of a segment's {@code taken} word. */
  public static long takenOffset(long segment) {
    return holdingOffset(segment) + TAKEN;
  }

  /** Returns where the data begin. */
  public static long dataOffset(long segments, long pageSize) {
    return roundUp(HEADER_BYTES + Math.multiplyExact(segments, PER_SEGMENT), pageSize);
  }

  /** Rounds up to a multiple of a power of two; throws ArithmeticException when that overflows. */
  public static long roundUp(long value, long powerOfTwo) {
    return Math.addExact(value, powerOfTwo - 1) & -powerOfTwo;
  }
}
