package dev.holdfast.arena.internal.output;

import dev.holdfast.arena.InsufficientSharedMemoryException;
import dev.holdfast.arena.PagePinner;
import dev.holdfast.arena.PinningException;
import dev.holdfast.arena.internal.life.Closer;
import dev.holdfast.arena.internal.life.Holds;
import dev.holdfast.arena.internal.life.Owned;
import dev.holdfast.arena.internal.memory.ArenaLayout;
import dev.holdfast.arena.internal.memory.MemoryMapping;
import dev.holdfast.arena.internal.memory.Pinning;
import dev.holdfast.arena.internal.memory.SpaceCheck;
import dev.holdfast.arena.internal.os.Mappings;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Off-heap memory for the outputs of one reader, used again and again: a copy into memory that was
 * in use before is several times faster than one into fresh pages. Thread-safe.
 *
 * <p>Buffers come in {@link SizeClasses}. What is given back is kept while all that is kept stays
 * within a limit; beyond it the longest idle goes first, so that a change of sizes drains the old
 * ones. All goes when no output was made for 10 s, and when the reader is closed. Giving back takes
 * a short lock under which nothing is allocated, because the cleaner does it too; unmapping is the
 * closer's work.
 */
public final class OutputAllocator {
  private static final long IDLE_NANOS = 10_000_000_000L;
  private static final long MOST_UNCHECKED = 64L << 20;
  private static final long SLAB_BYTES = 1L << 20;
  private static final long LEAST_FLOOR = 64L << 20;
  private static final long MOST_FLOOR = 256L << 20;
  private static final long HEADROOM = 4096;
  private static final long HUGE_PAGE = 2L << 20;
  private static final long PATIENCE_NANOS = 2_000_000_000L;
  private static final long RETRY_NANOS = 1_000_000L;

  /** How many slabs of all allocators were handed to the closer, ever. */
  private static final AtomicLong GIVEN_UP = new AtomicLong();

  /** How many of them it has unmapped. */
  private static final AtomicLong GONE = new AtomicLong();

  private final long maxRetainedBytes;
  private final OutputPressure pressure;
  private final LongAdder pinnedBytes = new LongAdder();
  private final LongAdder leaks = new LongAdder();
  private final LongAdder closingLeases = new LongAdder();

  private final SlabList[] withIdlePiece = new SlabList[SizeClasses.COUNT]; // guarded by this
  private final SlabList whollyIdle = new SlabList(SlabList.WHOLLY_IDLE); // guarded by this
  private @Nullable PagePinner pinner; // this and the following guarded by this
  private long mappedSlabs;
  private long freshBytes;
  private long unchecked; // what may be mapped before the limits are looked at again
  private long recycledBytes;
  private long retainedBytes;
  private long lastTaken;
  private boolean closed;

  /**
   * What an allocator has done.
   *
   * @param freshBytes bytes taken from the operating system
   * @param recycledBytes bytes that were used again
   * @param retainedBytes bytes that are idle and kept
   * @param closingLeases leases closed by their users whose views have not ended
   * @param leaks leases dropped without a close
   */
  public record Figures(
      long freshBytes, long recycledBytes, long retainedBytes, long closingLeases, long leaks) {}

  /**
   * Makes an allocator that has no memory yet and does not page-lock.
   *
   * @param maxRetainedBytes the most bytes that lie idle
   * @param wakeGuard has {@link #collectionDue} asked soon; must not wait
   */
  public OutputAllocator(long maxRetainedBytes, Runnable wakeGuard) {
    this(maxRetainedBytes, null, wakeGuard);
  }

  /**
   * Makes an allocator that has no memory yet.
   *
   * @param maxRetainedBytes the most bytes that lie idle
   * @param pinner page-locks all memory, or null
   * @param wakeGuard has {@link #collectionDue} asked soon; must not wait
   */
  public OutputAllocator(long maxRetainedBytes, @Nullable PagePinner pinner, Runnable wakeGuard) {
    this.maxRetainedBytes = maxRetainedBytes;
    this.pinner = pinner;
    // half, so that all that one collection gives back is kept
    this.pressure =
        new OutputPressure(Math.clamp(maxRetainedBytes / 2, LEAST_FLOOR, MOST_FLOOR), wakeGuard);
    for (int i = 0; i < withIdlePiece.length; i++) {
      withIdlePiece[i] = new SlabList(SlabList.WITH_IDLE_PIECE);
    }
  }

  /** Begins the output of a unit with one owner, who retires. */
  public Output output(UUID arena, long unit, long byteSize) {
    return new Output(this, arena, unit, byteSize);
  }

  /** Takes memory that nobody looks for by address, to be given back soon. */
  public Piece scratch(long byteSize) {
    return take(byteSize, null);
  }

  /** Takes memory for an owner. */
  Piece take(long byteSize, @Nullable Owned owner) {
    int sizeClass = SizeClasses.of(byteSize);
    Piece piece = takeIdle(sizeClass);
    if (piece == null) {
      pressure.awaitRelief();
      piece = takeIdle(sizeClass);
    }
    if (piece == null) {
      piece = takeFresh(sizeClass);
    }
    piece.slab().setOwner(piece.index(), owner);
    return piece;
  }

  private synchronized @Nullable Piece takeIdle(int sizeClass) {
    Slab slab = withIdlePiece[sizeClass].first();
    return slab == null ? null : takeFrom(slab);
  }

  private Piece takeFrom(Slab slab) {
    if (slab.isIdle()) {
      whollyIdle.remove(slab);
      retainedBytes -= slab.byteSize();
    }
    if (slab.recycles()) {
      recycledBytes += SizeClasses.bytes(slab.sizeClass());
    }
    Piece piece = slab.take();
    if (slab.isUsedUp()) {
      slabs(slab).remove(slab);
    }
    lastTaken = System.nanoTime();
    return piece;
  }

  private SlabList slabs(Slab slab) {
    return withIdlePiece[slab.sizeClass()];
  }

  /**
   * A limit that is reached may have room soon: idle memory goes, what was given up is unmapped by
   * the closer a moment later, and outputs that were dropped are found by a collection. So mapping
   * is tried again for a while, as long as something of that may still come.
   */
  private Piece takeFresh(int sizeClass) {
    long start = System.nanoTime();
    int asked = pressure.epoch();
    while (true) {
      long gone = GONE.get();
      try {
        return takeFrom(map(sizeClass), sizeClass);
      } catch (PinningException | InsufficientSharedMemoryException e) {
        boolean idleGoes = giveUpIdle(gone);
        boolean garbageMayGo = pressure.collectionMayHelp(asked);
        if (!(idleGoes || garbageMayGo)
            || System.nanoTime() - start > PATIENCE_NANOS
            || Thread.currentThread().isInterrupted()) {
          throw e;
        }
      }
      LockSupport.parkNanos(this, RETRY_NANOS);
      Piece idle = takeIdle(sizeClass);
      if (idle != null) {
        return idle;
      }
    }
  }

  /** Lets all idle memory go; returns whether any is on its way, or has gone since a look. */
  private boolean giveUpIdle(long goneBefore) {
    Slab evicted;
    synchronized (this) {
      evicted = evict(0);
    }
    unmap(evicted);
    return GIVEN_UP.get() != goneBefore;
  }

  private Piece takeFrom(Slab fresh, int sizeClass) {
    Holds.register(fresh);
    Piece piece;
    synchronized (this) {
      mappedSlabs++;
      freshBytes += fresh.byteSize();
      retainedBytes += fresh.byteSize();
      withIdlePiece[sizeClass].addFirst(fresh);
      whollyIdle.addLast(fresh);
      piece = takeFrom(fresh);
    }
    OutputTrimmer.watch(this);
    return piece;
  }

  private Slab map(int sizeClass) {
    long pieceBytes = SizeClasses.bytes(sizeClass);
    int pieces = (int) Math.max(1, SLAB_BYTES / pieceBytes);
    if (pieces == 1) {
      // room for the gaps between binaries of 4096 bytes or more, which costs no memory until it is
      // used
      pieceBytes += pieceBytes / 64 + HEADROOM;
    }
    long byteSize = ArenaLayout.roundUp(pieces * pieceBytes, Mappings.pageSize());
    checkRoom(byteSize);
    PagePinner locking = pinner();
    MemoryMapping mapping = MemoryMapping.ofPrivate(byteSize, "copies of units");
    try {
      if (byteSize >= HUGE_PAGE) {
        // a first copy into huge pages is several times faster; where there are none, nothing
        // changes
        var _ = Mappings.advise(mapping.segment(), Mappings.MADV_HUGEPAGE);
      }
      if (locking != null) {
        var _ = Pinning.of(locking, mapping, mapping.segment(), pinnedBytes);
      }
      return new Slab(sizeClass, pieces, pieceBytes, mapping, locking);
    } catch (RuntimeException | Error e) {
      var _ = mapping.releaseNow();
      throw e;
    }
  }

  /**
   * Looks at the machine's limits before every 64 MiB, and more often when less than twice of that
   * is left, since who touches too much is killed and not told.
   */
  private void checkRoom(long byteSize) {
    synchronized (this) {
      if (byteSize <= unchecked) {
        unchecked -= byteSize;
        return;
      }
    }
    long left = SpaceCheck.requireMemory("copies of units", byteSize);
    synchronized (this) {
      unchecked = Math.min(MOST_UNCHECKED, left / 2);
    }
  }

  private synchronized @Nullable PagePinner pinner() {
    return pinner;
  }

  /** Gives a piece back. Allocates nothing and waits for nothing but a short lock. */
  public void give(Piece piece) {
    Slab slab = piece.slab();
    slab.setOwner(piece.index(), null);
    Slab evicted = null;
    synchronized (this) {
      boolean recyclable = slab.isLockedBy(pinner);
      if (slab.isUsedUp() && recyclable) {
        slabs(slab).addFirst(slab);
      }
      slab.give(piece.index());
      if (slab.isIdle() && recyclable) {
        whollyIdle.addLast(slab);
        retainedBytes += slab.byteSize();
        evicted = evict(closed ? 0 : maxRetainedBytes);
      } else if (slab.isIdle()) {
        slabs(slab).remove(slab); // where it is when it was mapped while the next reader opened
        mappedSlabs--;
        evicted = slab;
      }
    }
    unmap(evicted);
  }

  /**
   * Takes idle slabs out until a limit is kept; returns the first of them, linked to the others.
   */
  private @Nullable Slab evict(long limit) {
    Slab evicted = null;
    while (retainedBytes > limit) {
      Slab slab = whollyIdle.first();
      if (slab == null) {
        throw new IllegalStateException("idle bytes without an idle slab: bytes=" + retainedBytes);
      }
      whollyIdle.remove(slab);
      slabs(slab).remove(slab);
      retainedBytes -= slab.byteSize();
      mappedSlabs--;
      slab.next[SlabList.WHOLLY_IDLE] = evicted;
      evicted = slab;
    }
    return evicted;
  }

  private static void unmap(@Nullable Slab evicted) {
    Slab slab = evicted;
    while (slab != null) {
      Slab following = slab.next[SlabList.WHOLLY_IDLE];
      slab.next[SlabList.WHOLLY_IDLE] = null;
      GIVEN_UP.incrementAndGet();
      Closer.submit(slab);
      slab = following;
    }
  }

  /** Lets idle memory go when no output was made for a while. */
  void trim(long now) {
    Slab evicted = null;
    synchronized (this) {
      if (now - lastTaken > IDLE_NANOS) {
        evicted = evict(0);
      }
      if (mappedSlabs == 0) {
        OutputTrimmer.forget(this);
      }
    }
    unmap(evicted);
  }

  /** Ends recycling: idle memory goes now, and what is in use when it is given back. */
  public void close() {
    Slab evicted;
    synchronized (this) {
      closed = true;
      evicted = evict(0);
    }
    unmap(evicted);
  }

  /**
   * Goes on for the next reader, with the outputs of the former one still counted. Their memory is
   * used again only when it is page-locked as the next reader's is to be.
   *
   * @param nextPinner page-locks all memory from now on, or null
   */
  public synchronized OutputAllocator reopen(@Nullable PagePinner nextPinner) {
    pinner = nextPinner;
    for (SlabList list : withIdlePiece) {
      list.removeIf(slab -> !slab.isLockedBy(nextPinner));
    }
    closed = false;
    return this;
  }

  /** The closer has unmapped a slab, or the quarantine has it. */
  static void left() {
    GONE.incrementAndGet();
  }

  /** Returns whether outputs that may have been dropped are worth a collection. */
  public boolean collectionDue(long now) {
    return pressure.due(now);
  }

  /** A collection is about to run. */
  public void collectionBegins() {
    pressure.collectionBegins();
  }

  /**
   * It has run, or was refused.
   *
   * @param cleanerBegan whether the cleaner has begun with what was found
   */
  public void collectionEnded(long now, BooleanSupplier cleanerBegan) {
    pressure.collectionEnded(now, cleanerBegan);
  }

  /** Returns what this allocator has done. */
  public synchronized Figures figures() {
    return new Figures(freshBytes, recycledBytes, retainedBytes, closingLeases.sum(), leaks.sum());
  }

  /** Returns how many bytes are page-locked now. */
  public long pinnedBytes() {
    return pinnedBytes.sum();
  }

  OutputPressure pressure() {
    return pressure;
  }

  void leaked() {
    leaks.increment();
  }

  void closing(int more) {
    closingLeases.add(more);
  }
}
