package dev.holdfast.arena;

import dev.holdfast.arena.internal.core.ArenaCore;
import dev.holdfast.arena.internal.core.ArenaHandle;
import dev.holdfast.arena.internal.memory.ArenaGeometry;
import dev.holdfast.arena.internal.memory.ArenaLayout;
import dev.holdfast.arena.internal.memory.SharedFiles;
import dev.holdfast.arena.internal.ring.RingReader;
import dev.holdfast.arena.internal.ring.RingWriter;
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
 * An arena of one byte region: units follow each other without gaps, and the reader copies each one
 * out and gives its bytes back at once.
 *
 * <p>All memory is reserved by the constructor, at full size. A unit fits exactly when its bytes
 * sum to at most {@code capacity}; where it passes the end of the region it goes on at the start,
 * which nobody sees. A writer waits for space in {@link ArenaWriter#writeBinary}; a unit without
 * binaries never waits. Make the ring as large as the units that are on their way at one time.
 *
 * <p>Views are of private off-heap copies, each binary on a 64-byte boundary. They live by the same
 * scopes, leases and holds as the views of a pool, and with its last alias the memory of a copy is
 * used again. A kept output never holds the ring, whatever happens to it; many kept outputs are
 * much private memory. Arrays and other heap payloads are copied straight from the ring.
 *
 * <p>Thread-safe. The process that made the ring owns it; another one gets it by serialization. A
 * ring that is dropped without {@link #close} is closed when the garbage collector finds it.
 */
public final class SharedMemoryRingBuffer implements SharedMemoryArena {
  private static final long serialVersionUID = 1L;

  /** How long a writer waits for space unless told otherwise. */
  public static final Duration DEFAULT_ACQUIRE_TIMEOUT = Duration.ofSeconds(60);

  /** How many bytes of idle copies a reader keeps for use unless told otherwise: 256 MiB. */
  public static final long DEFAULT_MAX_RETAINED_BYTES = 256L << 20;

  private final transient ArenaHandle handle;
  private final transient Settings settings;
  private final transient @Nullable PagePinner pinner;

  /** What each process needs to know besides the memory. */
  private record Settings(Duration acquireTimeout, boolean writableViews, long maxRetainedBytes)
      implements Serializable {
    private static final long serialVersionUID = 1L;
  }

  /**
   * Reserves a ring with the defaults of {@link #builder}.
   *
   * @param capacity bytes of the region, and of the largest unit
   * @throws IllegalArgumentException when it is not positive or too large for a number
   * @throws InsufficientSharedMemoryException when the machine has no room
   */
  public SharedMemoryRingBuffer(long capacity) {
    this(builder(capacity));
  }

  private SharedMemoryRingBuffer(Builder builder) {
    ArenaGeometry geometry =
        ArenaGeometry.ring(builder.capacity, SharedFiles.pageSize(builder.backing));
    this.settings =
        new Settings(builder.acquireTimeout, builder.writableViews, builder.maxRetainedBytes);
    this.pinner = builder.pinner;
    this.handle = ArenaHandle.owning(this, ArenaCore.create(geometry, builder.backing));
  }

  private SharedMemoryRingBuffer(ArenaHandle.Source source, Settings settings) {
    this.settings = settings;
    this.pinner = null;
    this.handle = ArenaHandle.attaching(this, source);
  }

  private SharedMemoryRingBuffer(ArenaCore attached, Settings settings) {
    this.settings = settings;
    this.pinner = null;
    this.handle = ArenaHandle.attached(this, attached);
  }

  /**
   * Begins the description of a ring.
   *
   * @param capacity bytes of the region, and of the largest unit
   * @return a builder with a wait limit of 60 s, the standard backing, read-only views and 256 MiB
   *     of idle copies
   * @throws IllegalArgumentException when the capacity is not positive
   */
  public static Builder builder(long capacity) {
    return new Builder(capacity);
  }

  /**
   * Attaches to a ring whose backing is a named file of a living process of the same user. The rest
   * is as a {@link #builder} has it.
   *
   * @param file the file that the owner named
   * @return the ring
   * @throws IllegalStateException when the file cannot be opened
   * @throws ArenaCorruptedException when it is no ring
   */
  public static SharedMemoryRingBuffer attach(Path file) {
    ArenaCore core = ArenaCore.attachFile(file.toString());
    if (core.geometry().kind() != ArenaLayout.KIND_RING) {
      core.close(false);
      throw new ArenaCorruptedException(
          FailureDetail.of("the file holds another kind of arena").with("file", file));
    }
    return new SharedMemoryRingBuffer(
        core, new Settings(DEFAULT_ACQUIRE_TIMEOUT, false, DEFAULT_MAX_RETAINED_BYTES));
  }

  /**
   * Returns the size of the region.
   *
   * @return bytes of the largest unit, and of all units on their way
   */
  public long capacity() {
    return handle.geometry().unitBytes();
  }

  /**
   * Returns how long the writer waits for space.
   *
   * @return the limit
   */
  public Duration acquireTimeout() {
    return settings.acquireTimeout;
  }

  /**
   * Returns how many bytes of idle copies the reader keeps for use.
   *
   * @return the limit
   */
  public long maxRetainedBytes() {
    return settings.maxRetainedBytes;
  }

  /**
   * Returns how much shared memory the ring takes altogether.
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

  @Override
  public ArenaWriter openWriter() {
    return new RingWriter(this, handle.core(), settings.acquireTimeout);
  }

  @Override
  public ArenaReader openReader() {
    return new RingReader(
        this, handle.core(), settings.writableViews, settings.maxRetainedBytes, pinner);
  }

  /**
   * Returns whether copies of this process are page-locked now. The ring itself never is.
   *
   * @return true while any is
   */
  public boolean isPinned() {
    return pinnedBytes() > 0;
  }

  /**
   * Returns how many bytes of copies, idle ones too, this process has page-locked.
   *
   * @return bytes, 0 when {@link #isPinned} is false
   */
  public long pinnedBytes() {
    ArenaCore core = handle.attached();
    return core == null ? 0 : core.pinnedOutputBytes();
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
    return "ring " + arenaId() + " of " + capacity() + " bytes";
  }

  @Serial
  private Object writeReplace() {
    return new Description(handle.source(), settings);
  }

  @Serial
  private void readObject(ObjectInputStream in) throws InvalidObjectException {
    throw new InvalidObjectException("a ring crosses as its description");
  }

  /** What crosses to another process. */
  private record Description(ArenaHandle.Source source, Settings settings) implements Serializable {
    private static final long serialVersionUID = 1L;

    @Serial
    private Object readResolve() {
      return new SharedMemoryRingBuffer(source, settings);
    }
  }

  /** Describes a ring before it is reserved. Not thread-safe. */
  public static final class Builder {
    private final long capacity;
    private Duration acquireTimeout = DEFAULT_ACQUIRE_TIMEOUT;
    private Backing backing = Backing.standard();
    private boolean writableViews;
    private long maxRetainedBytes = DEFAULT_MAX_RETAINED_BYTES;
    private @Nullable PagePinner pinner;

    private Builder(long capacity) {
      if (capacity <= 0) {
        throw new IllegalArgumentException("capacity must be positive: capacity=" + capacity);
      }
      this.capacity = capacity;
    }

    /**
     * Sets how long a writer waits for space.
     *
     * @param timeout the limit; zero fails at once when there is no space
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
     * Has the memory of copies page-locked where this ring's reader is opened in this process, from
     * the time it is taken from the operating system until it goes back. A ring that came by
     * serialization has no pinner.
     *
     * <p>A restore then throws {@link PinningException} when memory for its copies is refused, with
     * nothing left locked; a budget should have room for the copies that the consumer holds, and
     * for those kept idle.
     *
     * @param newPinner locks the pages and keeps to its budget
     * @return this builder
     */
    public Builder pinned(PagePinner newPinner) {
      this.pinner = Objects.requireNonNull(newPinner, "pinner");
      return this;
    }

    /**
     * Sets how much memory of idle copies the reader keeps for use. Beyond it the longest idle goes
     * back to the operating system; all of it goes when no unit was copied for 10 seconds.
     *
     * @param byteSize the limit; zero recycles nothing
     * @return this builder
     * @throws IllegalArgumentException when it is negative
     */
    public Builder maxRetainedBytes(long byteSize) {
      if (byteSize < 0) {
        throw new IllegalArgumentException(
            "maxRetainedBytes must not be negative: maxRetainedBytes=" + byteSize);
      }
      this.maxRetainedBytes = byteSize;
      return this;
    }

    /**
     * Reserves the ring.
     *
     * @return the ring, owned by this process
     * @throws IllegalArgumentException when the size overflows or the backing's folder is missing
     * @throws InsufficientSharedMemoryException when the machine has no room; nothing is left
     *     behind
     */
    public SharedMemoryRingBuffer build() {
      return new SharedMemoryRingBuffer(this);
    }
  }
}
