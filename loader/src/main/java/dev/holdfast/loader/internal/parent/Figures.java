package dev.holdfast.loader.internal.parent;

import dev.holdfast.loader.SubprocessStats;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;

/** Counts what a session does. */
public final class Figures {
  volatile long startNanos;
  final LongAdder passes = new LongAdder();
  final LongAdder items = new LongAdder();
  final LongAdder discarded = new LongAdder();
  final LongAdder failures = new LongAdder();
  final LongAdder waits = new LongAdder();
  final LongAdder waitNanos = new LongAdder();
  final LongAdder heapCopies = new LongAdder();

  SubprocessStats snapshot(long pid) {
    return new SubprocessStats(
        pid,
        Duration.ofNanos(startNanos),
        passes.sum(),
        items.sum(),
        discarded.sum(),
        failures.sum(),
        waits.sum(),
        Duration.ofNanos(waitNanos.sum()),
        heapCopies.sum());
  }
}
