package dev.holdfast.arena.internal.output;

import dev.holdfast.arena.internal.life.Endless;
import dev.holdfast.arena.internal.life.Logs;
import dev.holdfast.arena.internal.life.Once;
import java.lang.System.Logger;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/** A daemon that looks once a second which allocators have not been used for a while. */
final class OutputTrimmer {
  private static final Logger LOG = Logs.of("dev.holdfast.arena");
  private static final long LOOK_NANOS = 1_000_000_000L;
  private static final Set<OutputAllocator> WATCHED = ConcurrentHashMap.newKeySet();
  private static final Once<Thread> THREAD =
      new Once<>(
          () ->
              Thread.ofPlatform()
                  .daemon()
                  .name("holdfast-output-trimmer")
                  .start(Endless.of(OutputTrimmer::round)));

  private OutputTrimmer() {}

  static void watch(OutputAllocator allocator) {
    WATCHED.add(allocator);
    LockSupport.unpark(THREAD.get());
  }

  static void forget(OutputAllocator allocator) {
    WATCHED.remove(allocator);
  }

  private static void round() {
    if (WATCHED.isEmpty()) {
      LockSupport.park(OutputTrimmer.class);
    } else {
      LockSupport.parkNanos(OutputTrimmer.class, LOOK_NANOS);
    }
    look(System.nanoTime());
  }

  /** Trims all that are watched. */
  static void look(long now) {
    for (OutputAllocator allocator : WATCHED) {
      try {
        allocator.trim(now);
      } catch (RuntimeException | Error e) {
        LOG.log(Logger.Level.WARNING, "giving idle memory back failed", e);
      }
    }
  }
}
