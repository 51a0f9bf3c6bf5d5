package dev.holdfast.arena.internal.memory;

import dev.holdfast.arena.ArenaCorruptedException;
import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.Side;

/**
 * The shared words of one arena, by name. The table of who writes and who reads which of them, and
 * with what order, is in {@code docs/memory-model.md}.
 */
public final class ArenaWords {
  /** No counter ever comes so far, and nothing that is added to one that is smaller overflows. */
  private static final long MOST_COUNTED = 1L << 62;

  private final SharedWords words;
  private final WaitWord writerWaiting;
  private final long segments;

  /** Makes the words of an arena with a number of segments, 0 for a ring. */
  public ArenaWords(SharedWords words, long segments) {
    this.words = words;
    this.writerWaiting =
        new WaitWord(words, ArenaLayout.WRITER_WAITING_OFFSET, ArenaLayout.SPACE_SIGNAL_OFFSET);
    this.segments = segments;
  }

  /** Returns the words behind the names. */
  public SharedWords shared() {
    return words;
  }

  /** See {@link SharedWords#settle}. */
  public void settle() {
    words.settle();
  }

  public long publishedAcquire() {
    return words.getAcquire(ArenaLayout.PUBLISHED_OFFSET);
  }

  public void setPublishedRelease(long units) {
    words.setRelease(ArenaLayout.PUBLISHED_OFFSET, units);
  }

  public long reclaimedAcquire() {
    return words.getAcquire(ArenaLayout.RECLAIMED_OFFSET);
  }

  /** The writer's look in the handshake of {@code Waiting}. */
  public long reclaimedVolatile() {
    return words.getVolatile(ArenaLayout.RECLAIMED_OFFSET);
  }

  /** The reader's change in the handshake of {@code Waiting}. */
  public void setReclaimedVolatile(long units) {
    words.setVolatile(ArenaLayout.RECLAIMED_OFFSET, units);
  }

  public long headAcquire() {
    return words.getAcquire(ArenaLayout.HEAD_OFFSET);
  }

  public void setHeadRelease(long bytes) {
    words.setRelease(ArenaLayout.HEAD_OFFSET, bytes);
  }

  public long tailVolatile() {
    return words.getVolatile(ArenaLayout.TAIL_OFFSET);
  }

  public void setTailVolatile(long bytes) {
    words.setVolatile(ArenaLayout.TAIL_OFFSET, bytes);
  }

  /** Bumps the signal that the writer waits on, and wakes it once if it said that it waits. */
  public void signalSpace() {
    var _ = words.getAndAddInt(ArenaLayout.SPACE_SIGNAL_OFFSET, 1);
    writerWaiting.signal();
  }

  /**
   * Wakes the writer without changing the signal: it looks at its conditions, within a slice at the
   * latest.
   */
  public void wakeWriter() {
    words.wake(ArenaLayout.SPACE_SIGNAL_OFFSET);
  }

  public boolean writerWaitingVolatile() {
    return writerWaiting.isAnnounced();
  }

  /** Says which wait of the writer begins, or that none does; see {@link WaitWord}. */
  public void setWriterWaitingVolatile(int wait) {
    writerWaiting.announce(wait);
  }

  /** Returns whether either side has shut the arena down. */
  public boolean shutdownVolatile() {
    return words.getIntVolatile(ArenaLayout.OWNER_SHUTDOWN_OFFSET) != 0
        || words.getIntVolatile(ArenaLayout.PEER_SHUTDOWN_OFFSET) != 0;
  }

  public void setShutdownVolatile(boolean owner, boolean down) {
    long offset = owner ? ArenaLayout.OWNER_SHUTDOWN_OFFSET : ArenaLayout.PEER_SHUTDOWN_OFFSET;
    words.setIntVolatile(offset, down ? 1 : 0);
  }

  public long claimVolatile(Side side) {
    return words.getVolatile(claimOffset(side));
  }

  public boolean compareAndSetClaim(Side side, long expected, long claim) {
    return words.compareAndSet(claimOffset(side), expected, claim);
  }

  public long generationAcquire() {
    return words.getAcquire(ArenaLayout.GENERATION_OFFSET);
  }

  public long generationStartAcquire() {
    return words.getAcquire(ArenaLayout.GENERATION_START_OFFSET);
  }

  public long generationHeadAcquire() {
    return words.getAcquire(ArenaLayout.GENERATION_HEAD_OFFSET);
  }

  /** Stores where a ring's new generation begins, before the generation. */
  public void setGenerationHeadRelease(long bytes) {
    words.setRelease(ArenaLayout.GENERATION_HEAD_OFFSET, bytes);
  }

  /** Begins a generation: its first unit's number is stored before it. */
  public void setGenerationRelease(long generation, long firstUnit) {
    words.setRelease(ArenaLayout.GENERATION_START_OFFSET, firstUnit);
    words.setRelease(ArenaLayout.GENERATION_OFFSET, generation);
  }

  public long sealedAcquire(long segment) {
    return words.getAcquire(ArenaLayout.sealedOffset(checked(segment)));
  }

  /** Says that a unit is complete; what belongs to it is stored before. */
  public void setSealedRelease(long segment, long unitPlusOne) {
    words.setRelease(ArenaLayout.sealedOffset(checked(segment)), unitPlusOne);
  }

  public long sealedSpanAcquire(long segment) {
    return words.getAcquire(ArenaLayout.sealedSpanOffset(checked(segment)));
  }

  public void setSealedSpanRelease(long segment, long bytes) {
    words.setRelease(ArenaLayout.sealedSpanOffset(checked(segment)), bytes);
  }

  public long sealedKeyAcquire(long segment) {
    return words.getAcquire(ArenaLayout.sealedKeyOffset(checked(segment)));
  }

  public void setSealedKeyRelease(long segment, long key) {
    words.setRelease(ArenaLayout.sealedKeyOffset(checked(segment)), key);
  }

  public long sealedSinceAcquire(long segment) {
    return words.getAcquire(ArenaLayout.sealedSinceOffset(checked(segment)));
  }

  public void setSealedSinceRelease(long segment, long bootMillis) {
    words.setRelease(ArenaLayout.sealedSinceOffset(checked(segment)), bootMillis);
  }

  public long takenAcquire(long segment) {
    return words.getAcquire(ArenaLayout.takenOffset(checked(segment)));
  }

  public void setTakenRelease(long segment, long unitPlusOne) {
    words.setRelease(ArenaLayout.takenOffset(checked(segment)), unitPlusOne);
  }

  public long holdingAcquire(long segment) {
    return words.getAcquire(ArenaLayout.holdingOffset(checked(segment)));
  }

  public void setHoldingRelease(long segment, long holding) {
    words.setRelease(ArenaLayout.holdingOffset(checked(segment)), holding);
  }

  /** Returns a count of reclaimed units that can be true, for a number of published ones. */
  public long checkedReclaimed(long reclaimed, long published, long mostOutstanding) {
    if (reclaimed < 0
        || reclaimed > published
        || published > MOST_COUNTED
        || published - reclaimed > mostOutstanding) {
      throw new ArenaCorruptedException(
          FailureDetail.of("the counters of an arena cannot be true")
              .with("published", published)
              .with("reclaimed", reclaimed)
              .with("segments", segments));
    }
    return reclaimed;
  }

  /** Returns a ring's tail that can be true, for a head. */
  public static long checkedTail(long tail, long head, long capacity) {
    if (tail < 0 || tail > head || head > MOST_COUNTED || head - tail > capacity) {
      throw new ArenaCorruptedException(
          FailureDetail.of("the counters of an arena cannot be true")
              .with("head", head)
              .with("tail", tail)
              .with("capacity", capacity));
    }
    return tail;
  }

  private long checked(long segment) {
    if (segment < 0 || segment >= segments) {
      throw new IndexOutOfBoundsException("segment " + segment + " of " + segments);
    }
    return segment;
  }

  private static long claimOffset(Side side) {
    return switch (side) {
      case WRITER -> ArenaLayout.WRITER_CLAIM_OFFSET;
      case READER -> ArenaLayout.READER_CLAIM_OFFSET;
    };
  }
}
