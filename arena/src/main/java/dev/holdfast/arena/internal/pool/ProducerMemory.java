package dev.holdfast.arena.internal.pool;

import dev.holdfast.arena.ViewScope;
import dev.holdfast.arena.internal.core.ArenaCore;
import dev.holdfast.arena.internal.life.Views;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The memory of the open unit that its producer fills in place: views of one scope, which ends
 * before the unit is published. The writer's thread's.
 *
 * <p>The scope owns the mapping as long as it lives, so that closing the arena never unmaps memory
 * that the producer may still write. A writer that is dropped with an open unit keeps it mapped for
 * ever: leaking is preferred to corrupting.
 *
 * <p>The JDK refuses to end a scope while a native call or a channel operation uses it. Then the
 * unit cannot be committed, and when it is aborted its segment is not written again before that use
 * has ended.
 */
final class ProducerMemory {

  /** The views of one unit. */
  private record Filling(Arena arena, ViewScope scope, Thread owner) {

    /** Returns whether the views have ended; changes nothing when they have not. */
    boolean end() {
      if (scope == ViewScope.CONFINED && Thread.currentThread() != owner) {
        return false;
      }
      try {
        if (arena.scope().isAlive()) { // else an Error had ended an earlier try half-way
          arena.close();
        }
        return true;
      } catch (IllegalStateException e) {
        return false;
      }
    }
  }

  private final ArenaCore core;
  private @Nullable Filling open;
  private @Nullable Filling aborted;

  ProducerMemory(ArenaCore core) {
    this.core = core;
  }

  /** Returns a view of bytes of the open unit; the caller is inside a call of the arena. */
  MemorySegment view(MemorySegment bytes, ViewScope scope) {
    Filling filling = open;
    if (filling == null) {
      filling = begin(scope);
      open = filling;
    } else if (filling.scope() != scope) {
      throw new IllegalStateException(
          "the memory of one unit is of one scope: first=" + filling.scope() + " asked=" + scope);
    } else {
      requireOwner();
    }
    return Views.of(bytes, filling.arena());
  }

  @SuppressWarnings("MustBeClosedChecker") // ended with the unit
  private Filling begin(ViewScope scope) {
    Arena arena =
        switch (scope) {
          case CONFINED -> Arena.ofConfined();
          case SHARED -> Arena.ofShared();
          case COLLECTED ->
              throw new IllegalArgumentException(
                  "memory of an open unit is CONFINED or SHARED: its end is not left to the"
                      + " garbage collector");
        };
    if (!core.mapping().retain()) {
      arena.close();
      throw core.closedException("the arena is closed");
    }
    return new Filling(arena, scope, Thread.currentThread());
  }

  /** Returns whether bytes are of a view of the open unit, a part of one or a buffer on one. */
  boolean holds(MemorySegment bytes) {
    Filling filling = open;
    return filling != null && bytes.scope().equals(filling.arena().scope());
  }

  /** Fails on another thread than the one that CONFINED views belong to; changes nothing. */
  void requireOwner() {
    Filling filling = open;
    if (filling != null
        && filling.scope() == ViewScope.CONFINED
        && Thread.currentThread() != filling.owner()) {
      throw new WrongThreadException(
          "the open unit has memory that is confined to the thread that allocated it: owner="
              + filling.owner().getName());
    }
  }

  /** Ends the views of the open unit. Returns false, and changes nothing, when it is refused. */
  boolean end() {
    Filling filling = open;
    if (filling == null) {
      return true;
    }
    if (!filling.end()) {
      return false;
    }
    open = null;
    core.mapping().release();
    return true;
  }

  /** Ends the views of a unit that is given up, later when it is refused now. */
  void abort() {
    if (open != null) { // handed on first: an Error must not make it look ended
      aborted = open;
      open = null;
    }
    var _ = abortedHasEnded();
  }

  /** Returns whether nobody can write into the segment of an aborted unit any more. */
  boolean abortedHasEnded() {
    Filling filling = aborted;
    if (filling == null) {
      return true;
    }
    if (!filling.end()) {
      return false;
    }
    aborted = null;
    core.mapping().release();
    return true;
  }
}
