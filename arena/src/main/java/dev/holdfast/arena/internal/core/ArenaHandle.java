package dev.holdfast.arena.internal.core;

import dev.holdfast.arena.ArenaClosedException;
import dev.holdfast.arena.ArenaStats;
import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.internal.life.Once;
import dev.holdfast.arena.internal.life.StackRoom;
import dev.holdfast.arena.internal.memory.ArenaGeometry;
import java.io.Serializable;
import java.lang.ref.Cleaner;
import org.jspecify.annotations.Nullable;

/**
 * What a public arena object keeps: the arena of this process, attached on first use, closed once.
 * The object itself is watched: when it is dropped, a cleaner closes and, in the owner, unlinks.
 */
public final class ArenaHandle {
  private static final Once<Cleaner> CLEANER =
      new Once<>(
          () ->
              Cleaner.create(
                  Thread.ofPlatform().daemon().name("holdfast-dropped-arenas").factory()));

  /**
   * How a process comes to an arena.
   *
   * @param geometry what the header must say
   * @param ownerDescriptor the owner's descriptor
   * @param linkText what the link of that descriptor must say
   * @param place how errors name the file
   */
  public record Source(ArenaGeometry geometry, int ownerDescriptor, String linkText, String place)
      implements Serializable {
    private static final long serialVersionUID = 1L;

    /** Describes what this process has attached already. */
    public static Source attached(ArenaCore core) {
      Source source = new Source(core.geometry(), core.descriptor(), core.linkText(), core.place());
      return source;
    }
  }

  private final State state;
  private final Cleaner.Cleanable cleanable;

  private ArenaHandle(Object watched, State state) {
    this.state = state;
    this.cleanable = CLEANER.get().register(watched, state::dropped);
  }

  /** Starts the cleaner, so that a handle can be made where nothing may fail. */
  static Cleaner start() {
    return CLEANER.get();
  }

  /** Makes the handle of the object that made an arena. */
  public static ArenaHandle owning(Object watched, ArenaCore core) {
    return new ArenaHandle(watched, new State(Source.attached(core), core, true));
  }

  /** Makes the handle of an object that attached already. */
  public static ArenaHandle attached(Object watched, ArenaCore core) {
    return new ArenaHandle(watched, new State(Source.attached(core), core, false));
  }

  /** Makes a handle that attaches on first use. */
  public static ArenaHandle attaching(Object watched, Source source) {
    return new ArenaHandle(watched, new State(source, null, false));
  }

  /** Returns what the arena is, also after close. */
  public ArenaGeometry geometry() {
    return state.source.geometry;
  }

  /** Returns how another process comes to it. */
  public Source source() {
    return state.source;
  }

  /** Returns the arena, attached. */
  public ArenaCore core() {
    return state.core();
  }

  /** Returns the arena if it was attached, also after close. */
  public @Nullable ArenaCore attached() {
    return state.attached();
  }

  /** See {@link dev.holdfast.arena.SharedMemoryArena#shutdown}. */
  public void shutdown() {
    if (!state.isClosed()) {
      state.core().shutdown();
    }
  }

  /** See {@link dev.holdfast.arena.SharedMemoryArena#wake}. */
  public void wake() {
    ArenaCore core = state.attached();
    if (core != null) {
      core.wake();
    }
  }

  /** See {@link dev.holdfast.arena.SharedMemoryArena#close}. */
  public void close() {
    StackRoom.require();
    state.close();
  }

  /** See {@link dev.holdfast.arena.SharedMemoryArena#unlink}. */
  public void unlink() {
    StackRoom.require();
    ArenaCore core = state.attached();
    if (core != null && state.owner) {
      core.unlink();
    }
    if (state.isClosed()) {
      cleanable.clean(); // nothing is left for it to do
    }
  }

  /** See {@link dev.holdfast.arena.SharedMemoryArena#stats}. */
  public ArenaStats stats() {
    ArenaCore core = state.attached();
    return core == null ? ArenaStats.EMPTY : core.stats();
  }

  private static final class State {
    private final Source source;
    private final boolean owner;
    private @Nullable ArenaCore core; // guarded by this
    private boolean closed; // guarded by this

    State(Source source, @Nullable ArenaCore core, boolean owner) {
      this.source = source;
      this.core = core;
      this.owner = owner;
    }

    synchronized @Nullable ArenaCore attached() {
      return core;
    }

    synchronized boolean isClosed() {
      return closed;
    }

    synchronized ArenaCore core() {
      if (closed) {
        throw new ArenaClosedException(
            FailureDetail.of("the arena is closed").with("arena", source.geometry.arenaId()));
      }
      ArenaCore known = core;
      if (known == null) {
        known =
            ArenaCore.attach(
                source.geometry, source.ownerDescriptor, source.linkText, source.place);
        core = known;
      }
      return known;
    }

    void close() {
      ArenaCore known;
      boolean again;
      synchronized (this) {
        again = closed;
        closed = true;
        known = core;
      }
      if (known == null) {
        return;
      }
      if (again) {
        known.closeAgain();
      } else {
        known.close(owner);
      }
    }

    /** The arena object is gone, or has nothing left to do. */
    void dropped() {
      ArenaCore known = attached();
      if (known == null) {
        return;
      }
      try {
        if (!isClosed()) {
          close();
        }
      } finally {
        if (owner) {
          known.unlink();
        }
      }
    }
  }
}
