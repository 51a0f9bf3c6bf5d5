package dev.holdfast.loader.internal.region;

import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.loader.internal.launch.Durations;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Tells a worker that hangs from one that has nothing to do. Silent is who has had inputs for the
 * whole limit and said nothing; time in which the worker waits for inputs, or for space that this
 * process keeps, does not count. The receiving thread's.
 */
final class Silence {
  private final LaneBook book;
  private final long limitNanos;
  private final @Nullable SharedMemoryArena output;
  private long since = System.nanoTime();

  Silence(LaneBook book, Optional<Duration> limit, @Nullable SharedMemoryArena output) {
    this.book = book;
    this.limitNanos = limit.map(Durations::nanos).orElse(Long.MAX_VALUE);
    this.output = output;
  }

  /** Takes note that the worker has said something. */
  void broken() {
    since = System.nanoTime();
  }

  /** Returns whether the worker counts as hanging; asked when nothing has come for a while. */
  boolean isTooLong() {
    if (isOutOfSpace()) {
      broken();
      return false;
    }
    long now = System.nanoTime();
    return Math.min(now - since, now - book.busySince()) >= limitNanos;
  }

  private boolean isOutOfSpace() {
    return switch (output) {
      case null -> false;
      case SharedMemorySegmentPool pool -> pool.stats().held() >= pool.count();
      default -> output.stats().held() > 0;
    };
  }
}
