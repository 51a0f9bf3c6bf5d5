package dev.holdfast.arena;

import dev.holdfast.arena.internal.core.ArenaCore;
import dev.holdfast.arena.internal.core.ArenaHandle;
import dev.holdfast.arena.internal.life.TicketNumber;
import dev.holdfast.arena.internal.life.TicketRefusal;
import dev.holdfast.arena.internal.memory.ArenaGeometry;
import dev.holdfast.arena.internal.memory.ArenaLayout;
import dev.holdfast.arena.internal.memory.Claim;
import dev.holdfast.arena.internal.memory.Pinning;
import dev.holdfast.arena.internal.memory.SharedFiles;
import dev.holdfast.arena.internal.pool.PoolReader;
import dev.holdfast.arena.internal.pool.PoolUse;
import dev.holdfast.arena.internal.pool.PoolWriter;
import dev.holdfast.arena.internal.pool.Tickets;
import java.io.InvalidObjectException;
import java.io.ObjectInputStream;
import java.io.Serial;
import java.io.Serializable;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An arena of equal segments: each unit takes one whole segment, and the reader hands out views
 * that alias it.
 *
 * <p>All memory is reserved by the constructor, at full size. Unit {@code i} lies in segment {@code
 * i mod count}; a segment is used again only when its unit and all units before it were given back.
 * Binaries start on 64-byte boundaries, segments on pages. Make a segment as large as the largest
 * unit with its alignment gaps, and {@code count} larger than the units that the consumer holds
 * plus those on their way.
 *
 * <p>A pool serves streams, with one writer and one reader endpoint, or tickets: {@link #reserve}
 * gives a segment to fill in place, sealing it gives a ticket that any message can carry, and
 * {@link #recover} turns that into a lease. Its first use decides. Like endpoints, reserving
 * belongs to one process at a time, and recovering and discarding to one; a process keeps either
 * until it closes the pool. Their threads are free.
 *
 * <p>Thread-safe. The process that made the pool owns it; another one gets it by serialization. A
 * pool that is dropped without {@link #close} is closed when the garbage collector finds it.
 */
public final class SharedMemorySegmentPool implements SharedMemoryArena {
  private static final long serialVersionUID = 1L;

  /** How long a writer waits for a segment unless told otherwise. */
  public static final Duration DEFAULT_ACQUIRE_TIMEOUT = Duration.ofSeconds(60);

  private final transient ArenaHandle handle;
  private final transient Duration acquireTimeout;
  private final transient boolean writableViews;
  private final transient @Nullable PagePinner pinner;

  /**
   * Reserves a pool with the defaults of {@link #builder}.
   *
   * @param segmentSize bytes of the largest unit
   * @param count number of segments
   * @throws IllegalArgumentException when a size is not positive or their product overflows
   * @throws InsufficientSharedMemoryException when the machine has no room
   */
  public SharedMemorySegmentPool(long segmentSize, int count) {
    this(builder(segmentSize, count));
  }

  private SharedMemorySegmentPool(Builder builder) {
    ArenaGeometry geometry =
        ArenaGeometry.pool(
            builder.segmentSize, builder.count, SharedFiles.pageSize(builder.backing));
    this.acquireTimeout = builder.acquireTimeout;
    this.writableViews = builder.writableViews;
    this.pinner = builder.pinner;
    this.handle = ArenaHandle.owning(this, ArenaCore.create(geometry, builder.backing));
  }

  private SharedMemorySegmentPool(ArenaCore attached) {
    this.acquireTimeout = DEFAULT_ACQUIRE_TIMEOUT;
    this.writableViews = false;
    this.pinner = null;
    this.handle = ArenaHandle.attached(this, attached);
  }

  private SharedMemorySegmentPool(
      ArenaHandle.Source source, Duration acquireTimeout, boolean writableViews) {
    this.acquireTimeout = acquireTimeout;
    this.writableViews = writableViews;
    this.pinner = null;
    this.handle = ArenaHandle.attaching(this, source);
  }

  /**
   * Begins the description of a pool.
   *
   * @param segmentSize bytes of the largest unit
   * @param count number of segments
   * @return a builder with a wait limit of 60 s, the standard backing and read-only views
   * @throws IllegalArgumentException when a number is not positive
   */
  public static Builder builder(long segmentSize, int count) {
    return new Builder(segmentSize, count);
  }

  /**
   * Attaches to a pool whose backing is a named file of a living process of the same user. Waits
   * last up to {@link #DEFAULT_ACQUIRE_TIMEOUT}, views are read-only.
   *
   * @param file the file that the owner named
   * @return the pool
   * @throws IllegalStateException when the file cannot be opened
   * @throws ArenaCorruptedException when it is no pool
   */
  public static SharedMemorySegmentPool attach(Path file) {
    ArenaCore core = ArenaCore.attachFile(file.toString());
    if (core.geometry().kind() != ArenaLayout.KIND_POOL) {
      core.close(false);
      throw new ArenaCorruptedException(
          FailureDetail.of("the file holds another kind of arena").with("file", file));
    }
    return new SharedMemorySegmentPool(core);
  }

  /**
   * Returns the size of a segment.
   *
   * @return bytes of the largest unit
   */
  public long segmentSize() {
    return handle.geometry().unitBytes();
  }

  /**
   * Returns the number of segments.
   *
   * @return the count
   */
  public int count() {
    return (int) handle.geometry().segments();
  }

  /**
   * Returns how long the writer waits for a segment.
   *
   * @return the limit
   */
  public Duration acquireTimeout() {
    return acquireTimeout;
  }

  /**
   * Returns how much memory the pool takes altogether.
   *
   * @return bytes, header included
   */
  public long arenaBytes() {
    return handle.geometry().fileBytes();
  }

  @Override
  public UUID arenaId() {
    return handle.geometry().arenaId();
  }

  /**
   * Opens the writer endpoint for this process.
   *
   * @return the endpoint
   * @throws IllegalStateException when a process holds it already, or the pool has served tickets
   * @throws ArenaClosedException when the pool is closed
   */
  @Override
  public ArenaWriter openWriter() {
    ArenaCore core = handle.core();
    PoolUse.require(core, Claim.Use.STREAMS);
    return new PoolWriter(this, core, acquireTimeout);
  }

  /**
   * Opens the reader endpoint for this process. A closed one holds the side until its last unit is
   * released; this and {@link #takeOver} wait a moment for another thread that releases that one.
   *
   * @return the endpoint
   * @throws IllegalStateException when a process holds it already, or the pool has served tickets
   * @throws ArenaClosedException when the pool is closed
   * @throws PinningException when a pinner was given and refused
   */
  @Override
  public ArenaReader openReader() {
    ArenaCore core = handle.core();
    PoolUse.require(core, Claim.Use.STREAMS);
    PoolReader reader = new PoolReader(this, core, writableViews);
    if (pinner != null) {
      pin(core, pinner, reader);
    }
    return reader;
  }

  /**
   * Reserves a segment whose memory is CONFINED to this thread.
   *
   * @return the reservation
   * @throws AcquireTimeoutException when no segment became free in time; it names who holds them
   * @throws ArenaClosedException when the pool is closed, or shut down and there is none at once
   * @throws HoldfastInterruptedException when the thread was interrupted while it waited
   * @throws IllegalStateException when another process reserves, or the pool has served streams
   */
  public ArenaReservation reserve() {
    return reserve(ViewScope.CONFINED);
  }

  /**
   * Reserves the next segment, waiting for it up to {@link #acquireTimeout}. Any thread may call.
   *
   * @param scope CONFINED for one thread that fills the memory, SHARED for several
   * @return the reservation
   * @throws IllegalArgumentException when the scope is COLLECTED, whose views cannot be ended
   * @throws AcquireTimeoutException when no segment became free in time; it names who holds them
   * @throws ArenaClosedException when the pool is closed, or shut down and there is none at once
   * @throws HoldfastInterruptedException when the thread was interrupted while it waited
   * @throws IllegalStateException when another process reserves, or the pool has served streams
   */
  public ArenaReservation reserve(ViewScope scope) {
    if (scope == ViewScope.COLLECTED) {
      throw new IllegalArgumentException(
          "a reservation is CONFINED or SHARED, since sealing ends its views: scope=" + scope);
    }
    return new ArenaReservation(Tickets.of(handle.core()).reserve(this, scope, acquireTimeout));
  }

  /**
   * Recovers a ticket with a CONFINED lease.
   *
   * @param ticket from {@link ArenaReservation#seal}, in any process
   * @return the lease of its unit
   * @throws TicketException when the ticket is of another pool, was never sealed, or was recovered
   *     or discarded before; nothing has changed then
   * @throws ArenaClosedException when the pool is closed
   * @throws IllegalStateException when another process recovers, or the pool has served streams
   * @throws PinningException when a pinner was given and refused; the ticket can be recovered then
   */
  public TicketLease recover(ArenaTicket ticket) {
    return recover(ticket, ViewScope.CONFINED);
  }

  /**
   * Turns a ticket into a lease of its unit. Tickets are recovered in any order, by any thread; of
   * all copies of a ticket one is recovered or discarded, once. Never waits.
   *
   * @param ticket from {@link ArenaReservation#seal}, in any process
   * @param scope the lifetime of the view
   * @return the lease of its unit
   * @throws TicketException when the ticket is of another pool, was never sealed, or was recovered
   *     or discarded before; nothing has changed then
   * @throws ArenaClosedException when the pool is closed
   * @throws IllegalStateException when another process recovers, or the pool has served streams
   * @throws PinningException when a pinner was given and refused; the ticket can be recovered then
   */
  public TicketLease recover(ArenaTicket ticket, ViewScope scope) {
    TicketNumber number = ownTicket(ticket);
    return Tickets.of(handle.core()).recover(number, scope, writableViews, pinner);
  }

  /**
   * Drops a ticket: its segment is free as soon as all before it are.
   *
   * @param ticket from {@link ArenaReservation#seal}, in any process
   * @throws TicketException when the ticket is of another pool, was never sealed, or was recovered
   *     or discarded before; nothing has changed then
   * @throws ArenaClosedException when the pool is closed
   * @throws IllegalStateException when another process recovers, or the pool has served streams
   */
  public void discard(ArenaTicket ticket) {
    TicketNumber number = ownTicket(ticket);
    Tickets.of(handle.core()).discard(number);
  }

  /** A ticket of another pool is refused before it makes this one a pool of tickets. */
  private TicketNumber ownTicket(ArenaTicket ticket) {
    TicketNumber number = ticket.number();
    if (!number.arenaId().equals(arenaId())) {
      throw TicketRefusal.FOREIGN.of(arenaId(), number);
    }
    return number;
  }

  private static void pin(ArenaCore core, PagePinner pinner, PoolReader reader) {
    try {
      core.pin(pinner);
    } catch (RuntimeException | Error e) {
      try {
        reader.close();
      } catch (RuntimeException | Error closing) {
        e.addSuppressed(closing);
      }
      throw e;
    }
  }

  /**
   * Returns whether this process has the segments page-locked now. Where a pinner was given they
   * are from the first {@link #openReader} until the memory is unmapped, behind the last view.
   *
   * @return true while they are
   */
  public boolean isPinned() {
    return pinnedBytes() > 0;
  }

  /**
   * Returns how much of the pool this process has page-locked: the segments, each rounded up to
   * pages, without the header.
   *
   * @return bytes, 0 when {@link #isPinned} is false
   */
  public long pinnedBytes() {
    ArenaCore core = handle.attached();
    Pinning pinning = core == null ? null : core.pinning();
    return pinning == null ? 0 : pinning.pinnedBytes();
  }

  @Override
  public void shutdown() {
    handle.shutdown();
  }

  @Override
  public void wake() {
    handle.wake();
  }

  @Override
  public void close() {
    handle.close();
  }

  @Override
  public void unlink() {
    handle.unlink();
  }

  @Override
  public void takeOver(Side side) {
    handle.core().takeOver(side, () -> {});
  }

  @Override
  public ArenaStats stats() {
    return handle.stats();
  }

  @Override
  public String toString() {
    return "pool " + arenaId() + " of " + count() + " segments of " + segmentSize() + " bytes";
  }

  @Serial
  private Object writeReplace() {
    return new Description(handle.source(), acquireTimeout, writableViews);
  }

  @Serial
  private void readObject(ObjectInputStream in) throws InvalidObjectException {
    throw new InvalidObjectException("a pool crosses as its description");
  }

  /** What crosses to another process. */
  private record Description(
      ArenaHandle.Source source, Duration acquireTimeout, boolean writableViews)
      implements Serializable {
    @Serial
    private Object readResolve() {
      return new SharedMemorySegmentPool(source, acquireTimeout, writableViews);
    }
  }

  /** Describes a pool before it is reserved. Not thread-safe. */
  public static final class Builder {
    private final long segmentSize;
    private final int count;
    private Duration acquireTimeout = DEFAULT_ACQUIRE_TIMEOUT;
    private Backing backing = Backing.standard();
    private boolean writableViews;
    private @Nullable PagePinner pinner;

    private Builder(long segmentSize, int count) {
      requirePositive("segmentSize", segmentSize);
      requirePositive("count", count);
      this.segmentSize = segmentSize;
      this.count = count;
    }

    private static void requirePositive(String name, long value) {
      if (value <= 0) {
        throw new IllegalArgumentException(name + " must be positive: " + name + "=" + value);
      }
    }

    /**
     * Sets how long a writer waits for a free segment.
     *
     * @param timeout the limit; zero fails at once when all are taken
     * @return this builder
     * @throws IllegalArgumentException when it is negative
     */
    public Builder acquireTimeout(Duration timeout) {
      if (timeout.isNegative()) {
        throw new IllegalArgumentException(
            "acquireTimeout must not be negative: acquireTimeout=" + timeout);
      }
      this.acquireTimeout = timeout;
      return this;
    }

    /**
     * Sets where the memory comes from.
     *
     * @param newBacking the backing
     * @return this builder
     */
    public Builder backing(Backing newBacking) {
      this.backing = Objects.requireNonNull(newBacking, "backing");
      return this;
    }

    /**
     * Sets whether views can be written, for consumers that transform in place.
     *
     * @param writable true for writable views
     * @return this builder
     */
    public Builder writableViews(boolean writable) {
      this.writableViews = writable;
      return this;
    }

    /**
     * Has the segments page-locked where this pool's reader is opened in this process. A pool that
     * came by serialization has no pinner: pinning is the consuming process's own affair.
     *
     * <p>{@link SharedMemorySegmentPool#openReader} then throws {@link PinningException} when it is
     * refused, with nothing left locked and the reader free to be opened again.
     *
     * @param newPinner locks the pages and keeps to its budget
     * @return this builder
     */
    public Builder pinned(PagePinner newPinner) {
      this.pinner = Objects.requireNonNull(newPinner, "pinner");
      return this;
    }

    /**
     * Reserves the pool.
     *
     * @return the pool, owned by this process
     * @throws IllegalArgumentException when the sizes overflow or the backing's folder is missing
     * @throws InsufficientSharedMemoryException when the machine has no room; nothing is left
     *     behind
     */
    public SharedMemorySegmentPool build() {
      return new SharedMemorySegmentPool(this);
    }
  }
}
