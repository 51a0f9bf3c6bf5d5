package dev.holdfast.arena.internal.core;

import dev.holdfast.arena.AcquireTimeoutException;
import dev.holdfast.arena.internal.events.Recorder;
import dev.holdfast.arena.internal.events.UnitWaitEvent;
import dev.holdfast.arena.internal.fault.FaultPoint;
import dev.holdfast.arena.internal.life.Nanos;
import dev.holdfast.arena.internal.memory.ArenaLayout;
import dev.holdfast.arena.internal.memory.SharedWords;
import dev.holdfast.arena.internal.wait.SpinBudget;
import dev.holdfast.arena.internal.wait.WaitPoint;
import dev.holdfast.arena.internal.wait.Waiting;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * How the writer of an arena waits for what the reader gives back. The writer's thread's.
 *
 * <p>A wait ends when there is space, at the arena's limit, when the arena is closed or shut down,
 * and by what the writer's own check throws.
 */
public final class SpaceWait implements WaitPoint {
  private final ArenaCore core;
  private final long limitNanos;
  private final BooleanSupplier free;
  private final Announcement announcement;

  private final SpinBudget spins = new SpinBudget();

  private Runnable check = () -> {};

  /**
   * Makes the wait of a writer.
   *
   * @param core the arena
   * @param limit how long to wait; zero fails at once
   * @param free whether there is space; looks at the reader's word with volatile order
   */
  public SpaceWait(ArenaCore core, Duration limit, BooleanSupplier free) {
    this(core, limit, free, core.words()::setWriterWaitingVolatile);
  }

  /**
   * Makes the wait of one of several threads of a writer's process.
   *
   * @param core the arena
   * @param limit how long to wait; zero fails at once
   * @param free whether there is space; looks at the reader's word with volatile order
   * @param announcement says to the reader that one more of them waits, or one less
   */
  public SpaceWait(
      ArenaCore core, Duration limit, BooleanSupplier free, Announcement announcement) {
    this.core = core;
    this.limitNanos = Nanos.of(limit);
    this.free = free;
    this.announcement = announcement;
  }

  /** Says to the reader who waits. */
  public interface Announcement {
    /** Says it with volatile order; see {@link WaitPoint#announce}. */
    void say(int wait);
  }

  /** See {@link dev.holdfast.arena.ArenaWriter#whileWaiting}. */
  public void whileWaiting(Runnable newCheck) {
    check = newCheck;
  }

  /** Returns the limit in nanoseconds. */
  public long limitNanos() {
    return limitNanos;
  }

  /**
   * Returns when there is space, and at once when it is there already.
   *
   * @param unit the number of the unit that needs it, for the event
   * @param timeout makes the error at the limit from the nanoseconds waited
   */
  public void await(long unit, LongFunction<AcquireTimeoutException> timeout) {
    if (ready()) {
      return;
    }
    core.requireOpenForWaiting();
    if (FaultPoint.ENABLED) {
      FaultPoint.WAITING_FOR_SPACE.reach();
    }
    @Nullable UnitWaitEvent event = Recorder.isThere() ? new UnitWaitEvent() : null;
    if (event != null) {
      event.begin();
    }
    long start = System.nanoTime();
    try {
      if (limitNanos <= 0 || !Waiting.await(this, limitNanos, this::lookAround)) {
        throw timeout.apply(System.nanoTime() - start);
      }
    } finally {
      core.waited(System.nanoTime() - start);
      if (event != null) {
        event.arena = core.geometry().arenaId().toString();
        event.unit = unit;
        event.commit();
      }
    }
  }

  /** Throws what ends a wait early. */
  public void lookAround() {
    core.requireOpenForWaiting();
    check.run();
  }

  @Override
  public boolean ready() {
    return free.getAsBoolean();
  }

  @Override
  public SpinBudget spins() {
    return spins;
  }

  @Override
  public void announce(int wait) {
    announcement.say(wait);
  }

  @Override
  public SharedWords words() {
    return core.words().shared();
  }

  @Override
  public long signalOffset() {
    return ArenaLayout.SPACE_SIGNAL_OFFSET;
  }

  @Override
  public boolean retain() {
    return core.mapping().retain();
  }

  @Override
  public void release() {
    core.mapping().release();
  }
}
