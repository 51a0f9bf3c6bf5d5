package dev.holdfast.arena.internal.memory;

import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.InsufficientSharedMemoryException;
import dev.holdfast.arena.internal.fault.FaultPoint;
import dev.holdfast.arena.internal.life.BootClock;
import dev.holdfast.arena.internal.life.Closer;
import dev.holdfast.arena.internal.life.Quarantine;
import dev.holdfast.arena.internal.os.ErrnoException;
import dev.holdfast.arena.internal.os.Futex;
import dev.holdfast.arena.internal.os.Mappings;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Mapped memory with an owner count: the open arena, each endpoint call in progress, each unit with
 * owners. The count starts at one; the owner that brings it to zero unmaps, after the steps that
 * must come first. A step that refuses sends the mapping to the quarantine.
 */
public final class MemoryMapping extends Quarantine.Retained {
  private static final long POPULATED_PIECE = 16L << 20;

  private final MemorySegment segment;
  private final SegmentWords words;
  private final String place;

  private final AtomicInteger owners = new AtomicInteger(1);
  private final ReentrantLock populating = new ReentrantLock();
  private volatile boolean populatingEnded;
  private final Deque<UnmapStep> steps; // guarded by this
  private @Nullable UnmapStep refusing; // guarded by this; null when it was munmap
  private @Nullable Throwable refusal; // guarded by this
  private boolean unmapped; // guarded by this
  private final Closer.Task unmapLater =
      new Closer.Task() {
        @Override
        protected boolean run() {
          if (!retry()) {
            Quarantine.add(MemoryMapping.this);
          }
          return true;
        }
      };

  /** Maps memory. */
  @FunctionalInterface
  interface Mapper {
    MemorySegment map() throws ErrnoException;
  }

  /** What was mapped, and found no heap for the object that would unmap it. */
  private static final class Unused extends Quarantine.Retained {
    private @Nullable MemorySegment mapped; // guarded by this

    @Override
    public String what() {
      return "a mapping that nobody uses";
    }

    @Override
    public String why() {
      return "there was no heap to unmap it";
    }

    synchronized void end(MemorySegment fresh) {
      mapped = fresh;
      if (!retry()) {
        Quarantine.add(this);
      }
    }

    @Override
    public synchronized boolean retry() {
      MemorySegment left = mapped;
      if (left != null) {
        try {
          Mappings.unmap(left);
        } catch (ErrnoException | RuntimeException | Error e) {
          return false;
        }
        mapped = null;
      }
      return true;
    }
  }

  /** Maps memory; the caller is its one owner. */
  static MemoryMapping of(Mapper mapper, String place, List<UnmapStep> steps, boolean mayBeCut)
      throws ErrnoException {
    Futex.prepare();
    BootClock.prepare();
    Quarantine.prepare();
    Unused unused = new Unused();
    MemorySegment mapped = mapper.map();
    try {
      return new MemoryMapping(mapped, place, steps, mayBeCut);
    } catch (RuntimeException | Error e) {
      unused.end(mapped);
      throw e;
    }
  }

  private MemoryMapping(
      MemorySegment segment, String place, List<UnmapStep> steps, boolean mayBeCut) {
    this.segment = segment;
    this.words = new SegmentWords(segment, mayBeCut);
    this.place = place;
    this.steps = new ArrayDeque<>(steps);
    if (mayBeCut) {
      CuttableMemory.add(segment);
    }
  }

  /**
   * Maps fresh private memory of zeros; the caller is its one owner.
   *
   * @throws InsufficientSharedMemoryException when the kernel refuses
   */
  public static MemoryMapping ofPrivate(long byteSize, String place) {
    try {
      return of(() -> Mappings.mapPrivate(byteSize), place, List.of(), false);
    } catch (ErrnoException e) {
      throw new InsufficientSharedMemoryException(
          FailureDetail.of("memory cannot be mapped")
              .with("for", place)
              .with("askedBytes", byteSize)
              .with("error", String.valueOf(e.getMessage())),
          e);
    }
  }

  /** Returns all bytes, in the global scope: only for who is an owner. */
  public MemorySegment segment() {
    return segment;
  }

  /** Returns the words in the memory: only for who is an owner. */
  public SharedWords words() {
    return words;
  }

  /** Returns the size in bytes. */
  public long byteSize() {
    return segment.byteSize();
  }

  /**
   * Adds a step that must run before unmapping; the last added runs first. Only for who is an
   * owner.
   */
  public synchronized void addStep(UnmapStep step) {
    steps.addFirst(step);
  }

  /** Takes out a step that turned out to have nothing to do. Only for who is an owner. */
  synchronized void removeStep(UnmapStep step) {
    var _ = steps.remove(step);
  }

  /** Adds an owner unless the count has reached zero. */
  public boolean retain() {
    int count = owners.get();
    while (count > 0) {
      if (owners.compareAndSet(count, count + 1)) {
        return true;
      }
      count = owners.get();
    }
    return false;
  }

  /**
   * Retires an owner; the last one has a background thread unmap. Allocates nothing and does not
   * wait.
   */
  public void release() {
    if (owners.decrementAndGet() == 0) {
      Closer.submit(unmapLater);
    }
  }

  /**
   * Retires the owner that the count started with; when it is the last one it unmaps on the calling
   * thread.
   *
   * @return false when a step refused, and the mapping is in the quarantine
   */
  public boolean releaseNow() {
    populatingEnded = true;
    if (owners.decrementAndGet() != 0) {
      return true;
    }
    boolean ended = false;
    try {
      ended = retry();
    } finally {
      if (!ended) {
        Quarantine.add(this);
      }
    }
    return ended;
  }

  /** Unmaps when the last owner has retired; returns false when a step still refuses. */
  public synchronized boolean mayBeUnmapped() {
    return owners.get() > 0 || retry();
  }

  /**
   * Starts to bring all pages into this process's tables, so that the first pass runs at full
   * speed. Ends with {@link #releaseNow}, and unmapping waits for the piece in progress: the memory
   * of an arena that is closed before it was used goes at once.
   */
  public void populateInBackground() {
    try {
      var _ = Thread.ofPlatform().daemon().name("holdfast-populate").start(this::populate);
    } catch (OutOfMemoryError e) {
      populatingEnded = true; // without a thread for it the first pass is slower, and nothing else
    }
  }

  private void populate() {
    boolean more = true;
    for (long done = 0; more && done < byteSize(); done += POPULATED_PIECE) {
      more = populate(done);
    }
  }

  /** Returns whether there is sense in going on. */
  private boolean populate(long offset) {
    populating.lock();
    try {
      return !populatingEnded
          && Mappings.advise(
              segment.asSlice(offset, Math.min(POPULATED_PIECE, byteSize() - offset)),
              Mappings.MADV_POPULATE_READ); // kernels before 5.14 do not know it
    } finally {
      populating.unlock();
    }
  }

  private void awaitPopulating() {
    populating.lock();
    try {
      populatingEnded = true; // nobody advises behind this
    } finally {
      populating.unlock();
    }
  }

  @Override
  public String what() {
    return "mapping of " + byteSize() + " bytes of " + place;
  }

  @Override
  public synchronized String why() {
    UnmapStep step = refusing;
    return step == null
        ? "munmap was refused: " + refusal
        : step.what() + " was refused: " + refusal;
  }

  /**
   * Runs the steps that have not run, then unmaps; returns false when a step refuses, or there was
   * no heap or stack for it. Allocates nothing of its own.
   */
  @Override
  public synchronized boolean retry() {
    if (unmapped) {
      return true;
    }
    while (!steps.isEmpty()) {
      UnmapStep step = steps.getFirst();
      try {
        if (FaultPoint.ENABLED) {
          FaultPoint.BEFORE_UNMAP.reach();
        }
        step.run();
      } catch (Exception | Error e) {
        refusing = step;
        refusal = e;
        return false;
      }
      steps.removeFirst();
    }
    try {
      awaitPopulating();
      Mappings.unmap(segment);
    } catch (ErrnoException | RuntimeException | Error e) {
      refusing = null;
      refusal = e;
      return false;
    }
    unmapped = true;
    CuttableMemory.remove(segment);
    return true;
  }
}
