package dev.holdfast.loader.internal.region;

import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.loader.internal.launch.Durations;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Tells a worker that hangs from one that has nothing to do. Silent is who has said nothing for the
 * whole limit and could have: it has inputs that it owes an answer, or one waits to be sent and it
 * takes none. Time in which the worker waits for inputs, or for space that this process keeps, does
 * not count. The receiving thread's.
 */
final class Silence {
  private final LaneBook book;
  private final SendWait sendWait;
  private final long limitNanos;
  private final @Nullable SharedMemoryArena output;
  private long since = System.nanoTime();
  private boolean wasOutOfSpace;

  Silence(
      LaneBook book,
      SendWait sendWait,
      Optional<Duration> limit,
      @Nullable SharedMemoryArena output) {
    this.book = book;
    this.sendWait = sendWait;
    this.limitNanos = limit.map(Durations::nanos).orElse(Long.MAX_VALUE);
    this.output = output;
  }

  /** Takes note that the worker has said something. */
  void broken() {
    since = System.nanoTime();
  }

  /**
   * Returns whether the worker counts as hanging; asked when nothing has come for a while. Space
   * that was missing at the last look may have come a moment ago, so the time begins at this one.
   */
  boolean isTooLong() {
    boolean excused = wasOutOfSpace;
    wasOutOfSpace = isOutOfSpace();
    if (excused || wasOutOfSpace) {
      broken();
      return false;
    }
    long quiet = System.nanoTime() - since;
    return Math.min(quiet, Math.max(book.busyNanos(), sendWait.nanos())) >= limitNanos;
  }

  private boolean isOutOfSpace() {
    return switch (output) {
      case null -> false;
      case SharedMemorySegmentPool pool -> pool.stats().held() >= pool.count();
      default -> output.stats().held() > 0;
    };
  }
}
