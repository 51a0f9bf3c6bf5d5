package dev.holdfast.arena.internal.memory;

import dev.holdfast.arena.PagePinner;
import dev.holdfast.arena.internal.life.ExitHook;
import dev.holdfast.arena.internal.life.Logs;
import dev.holdfast.arena.internal.life.Quarantine;
import java.lang.System.Logger;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;

/**
 * The page-locking of one mapped range: registered once, ended once, as a step before the range is
 * unmapped, or at exit when it is still mapped then. Thread-safe.
 */
public final class Pinning implements UnmapStep {
  private static final Logger LOG = Logs.of("dev.holdfast.arena");
  private static final Set<Pinning> LIVE = ConcurrentHashMap.newKeySet();
  private static final AtomicBoolean EXIT_STEP = new AtomicBoolean();

  private final PagePinner.Registration registration;
  private final LongAdder pinnedBytes;

  private Pinning(PagePinner.Registration registration, LongAdder pinnedBytes) {
    this.registration = registration;
    this.pinnedBytes = pinnedBytes;
  }

  /**
   * Page-locks memory. The caller adds the result to the memory's mapping, {@link
   * MemoryMapping#addStep}.
   *
   * @throws dev.holdfast.arena.PinningException when it is refused; nothing is left locked
   */
  public static Pinning of(PagePinner pinner, MemorySegment memory) {
    return of(pinner, memory, new LongAdder());
  }

  /**
   * Page-locks one of several memories.
   *
   * @param pinnedBytes the bytes of all of them that are page-locked, which follows
   */
  public static Pinning of(PagePinner pinner, MemorySegment memory, LongAdder pinnedBytes) {
    if (EXIT_STEP.compareAndSet(false, true)) {
      ExitHook.atExit("end page-locking", Pinning::endAll);
    }
    Pinning pinning = new Pinning(pinner.register(memory), pinnedBytes);
    LIVE.add(pinning);
    pinnedBytes.add(pinning.registration.byteSize());
    return pinning;
  }

  /** Returns how many bytes are page-locked, zero after the end. */
  public long pinnedBytes() {
    return registration.isActive() ? registration.byteSize() : 0;
  }

  @Override
  public String what() {
    return "the end of page-locking " + registration.byteSize() + " bytes";
  }

  @Override
  public void run() {
    registration.close();
    if (LIVE.remove(this)) {
      pinnedBytes.add(-registration.byteSize());
    }
  }

  private static void endAll() {
    Quarantine.retry(); // a copy whose end can be proved now keeps no registration
    for (Pinning pinning : LIVE) {
      try {
        pinning.run();
      } catch (RuntimeException e) {
        LOG.log(Logger.Level.WARNING, "at exit, page-locking could not be ended", e);
      }
    }
  }
}
