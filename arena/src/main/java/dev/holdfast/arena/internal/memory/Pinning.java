package dev.holdfast.arena.internal.memory;

import dev.holdfast.arena.PagePinner;
import dev.holdfast.arena.internal.life.ExitHook;
import dev.holdfast.arena.internal.life.Holds;
import dev.holdfast.arena.internal.life.Logs;
import dev.holdfast.arena.internal.life.Once;
import dev.holdfast.arena.internal.life.Quarantine;
import java.lang.System.Logger;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The page-locking of one mapped range: registered once, ended once, as a step before the range is
 * unmapped, or at exit when it is still mapped then. Thread-safe.
 */
public final class Pinning implements UnmapStep {
  private static final Logger LOG = Logs.of("dev.holdfast.arena");
  private static final Set<Pinning> LIVE = ConcurrentHashMap.newKeySet();
  private static final Once<ExitHook.Step> EXIT_STEP =
      new Once<>(() -> ExitHook.atExit("end page-locking", Pinning::endAll));

  private final MemorySegment memory;
  private final LongAdder pinnedBytes;
  private volatile PagePinner.@Nullable Registration registration; // set once
  private volatile boolean counted; // set once, before the pinning is handed out

  private Pinning(MemorySegment memory, LongAdder pinnedBytes) {
    this.memory = memory;
    this.pinnedBytes = pinnedBytes;
  }

  /**
   * Page-locks memory until its mapping is unmapped.
   *
   * @param mapping of which the caller is an owner
   * @param memory a part of it
   * @throws dev.holdfast.arena.PinningException when it is refused; nothing is left locked but what
   *     could not be undone, which keeps the mapping until it is
   */
  public static Pinning of(PagePinner pinner, MemoryMapping mapping, MemorySegment memory) {
    return of(pinner, mapping, memory, new LongAdder());
  }

  /*
   * The step is there before there is anything to end, so that no failure in between, not even a
   * lack of heap, leaves memory locked that nothing unlocks before it is unmapped.
   */
  /**
   * Page-locks one of several memories.
   *
   * @param pinnedBytes the bytes of all of them that are page-locked, which follows
   */
  public static Pinning of(
      PagePinner pinner, MemoryMapping mapping, MemorySegment memory, LongAdder pinnedBytes) {
    var _ = EXIT_STEP.get();
    Pinning pinning = new Pinning(memory, pinnedBytes);
    mapping.addStep(pinning);
    try {
      LIVE.add(pinning);
      pinning.registration = pinner.register(memory);
    } catch (Throwable e) {
      pinning.registration = UnendedRegistration.of(e);
      if (pinning.registration == null) {
        LIVE.remove(pinning);
        mapping.removeStep(pinning);
      }
      throw e;
    }
    pinning.counted = true;
    pinnedBytes.add(pinning.pinnedBytes());
    return pinning;
  }

  /** Returns how many bytes are page-locked, zero after the end. */
  public long pinnedBytes() {
    PagePinner.Registration made = registration;
    return made != null && counted && made.isActive() ? made.byteSize() : 0;
  }

  @Override
  public String what() {
    return "the end of page-locking " + memory.byteSize() + " bytes";
  }

  @Override
  public void run() {
    PagePinner.Registration made = registration;
    if (made == null) {
      return;
    }
    made.close();
    if (LIVE.remove(this) && counted) {
      pinnedBytes.add(-made.byteSize());
    }
  }

  /** What somebody holds may be read by a device until the very end: that stays as it is. */
  private static void endAll() {
    endWhereNobodyReads(Logger.Level.DEBUG);
    if (!LIVE.isEmpty()) {
      Quarantine.retry(); // a copy whose end can be proved now keeps no registration
      endWhereNobodyReads(Logger.Level.WARNING);
    }
  }

  private static void endWhereNobodyReads(Logger.Level level) {
    for (Pinning pinning : LIVE) {
      try {
        if (!Holds.anyIn(pinning.memory)) {
          pinning.run();
        }
      } catch (RuntimeException | Error e) {
        LOG.log(level, "at exit, page-locking could not be ended", e);
      }
    }
  }
}
