package dev.holdfast.arena.internal.life;

import java.lang.System.Logger;
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
  private final @Nullable Throwable trace;

  DroppedHold(Object hold, Owned unit) {
    super(hold, ViewGuard.queue());
    this.unit = unit;
    this.trace = Tracing.here();
    OPEN.add(this);
  }

  void closed() {
    clear();
    OPEN.remove(this);
  }

  void report() {
    if (OPEN.remove(this)) {
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
