package dev.holdfast.arena.internal.output;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/** A daemon that looks once a second which allocators have not been used for a while. */
final class OutputTrimmer {
  private static final long LOOK_NANOS = 1_000_000_000L;
  private static final Set<OutputAllocator> WATCHED = ConcurrentHashMap.newKeySet();
  private static final Thread THREAD =
      Thread.ofPlatform().daemon().name("holdfast-output-trimmer").start(OutputTrimmer::work);

  private OutputTrimmer() {}

  static void watch(OutputAllocator allocator) {
    WATCHED.add(allocator);
    LockSupport.unpark(THREAD);
  }

  static void forget(OutputAllocator allocator) {
    WATCHED.remove(allocator);
  }

  private static void work() {
    while (true) {
      if (WATCHED.isEmpty()) {
        LockSupport.park(OutputTrimmer.class);
      } else {
        LockSupport.parkNanos(OutputTrimmer.class, LOOK_NANOS);
      }
      for (OutputAllocator allocator : WATCHED) {
        allocator.trim(System.nanoTime());
      }
    }
  }
}
