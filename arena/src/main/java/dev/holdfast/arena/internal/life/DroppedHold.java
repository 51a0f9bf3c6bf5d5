package dev.holdfast.arena.internal.life;

import java.lang.System.Logger;
import java.lang.foreign.MemorySegment;
import java.lang.ref.PhantomReference;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Reports a hold that was dropped without a close. Its bytes stay held: whoever was given their
 * address may still read them.
 */
final class DroppedHold extends PhantomReference<Object> {
  private static final Logger LOG = Logs.of("dev.holdfast.arena");
  private static final Set<DroppedHold> OPEN = ConcurrentHashMap.newKeySet();

  private final Owned unit;
  private final MemorySegment bytes;
  private final @Nullable Throwable trace;

  /**
   * Watches a hold.
   *
   * @param bytes what it holds, in the global scope
   */
  DroppedHold(Object hold, Owned unit, MemorySegment bytes) {
    super(hold, ViewGuard.queue());
    this.unit = unit;
    this.bytes = bytes;
    this.trace = Tracing.here();
    OPEN.add(this);
  }

  void closed() {
    clear();
    OPEN.remove(this);
  }

  /** Returns whether bytes in a memory are held, by a hold that was dropped too. */
  static boolean anyIn(MemorySegment memory) {
    long from = memory.address();
    long to = from + memory.byteSize();
    return OPEN.stream()
        .map(hold -> hold.bytes)
        .anyMatch(held -> held.address() < to && from < held.address() + held.byteSize());
  }

  void report() {
    if (OPEN.contains(this)) { // and stays there, as what it holds does
      LOG.log(
          Logger.Level.WARNING,
          "a hold was dropped without close, its unit stays held for ever: arena={0} unit={1}"
              + " takenAt={2}",
          unit.arena(),
          String.valueOf(unit.unit()),
          Tracing.place(trace));
    }
  }
}
