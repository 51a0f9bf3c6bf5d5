package dev.holdfast.loader.internal.region;

import dev.holdfast.arena.ArenaClosedException;
import dev.holdfast.arena.ArenaCorruptedException;
import dev.holdfast.arena.ArenaReader;
import dev.holdfast.arena.ArenaWriter;
import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.arena.Side;
import dev.holdfast.arena.internal.life.ExitHook;
import dev.holdfast.arena.internal.life.Logs;
import dev.holdfast.arena.internal.life.Steps;
import dev.holdfast.loader.pipeline.OnWorkerDeath;
import dev.holdfast.loader.pipeline.ProcessRegion;
import java.lang.System.Logger;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The arenas of one worker and this process's endpoints of them, which outlive workers that are
 * replaced.
 */
final class LaneArenas {
  private static final Logger LOG = Logs.of("dev.holdfast.loader");

  private final @Nullable SharedMemoryArena input;
  private final @Nullable SharedMemoryArena output;
  private final boolean owned;

  /** Those that are to be unlinked when the process ends; the step for it has nothing else. */
  private final CopyOnWriteArrayList<SharedMemoryArena> atExit;

  private @Nullable ArenaWriter writer;
  private @Nullable ArenaReader reader;

  private LaneArenas(
      @Nullable SharedMemoryArena input,
      @Nullable SharedMemoryArena output,
      boolean owned,
      CopyOnWriteArrayList<SharedMemoryArena> atExit) {
    this.input = input;
    this.output = output;
    this.owned = owned;
    this.atExit = atExit;
    if (owned) {
      var _ = atExit.addAllAbsent(arenas());
    }
  }

  /**
   * Asks a region for the arenas of a worker.
   *
   * @param owned whether they are closed and unlinked with the worker
   */
  static LaneArenas of(ProcessRegion region, int index, boolean owned) {
    CopyOnWriteArrayList<SharedMemoryArena> atExit = new CopyOnWriteArrayList<>();
    if (owned) {
      ExitHook.atExit("unlink the arenas of a region", () -> unlink(atExit));
    }
    LaneArenas made =
        new LaneArenas(
            region.inputArena().map(it -> it.arena(index)).orElse(null), null, owned, atExit);
    boolean whole = false;
    try {
      LaneArenas both =
          new LaneArenas(
              made.input,
              region.outputArena().map(it -> it.arena(index)).orElse(null),
              owned,
              atExit);
      whole = true;
      return both;
    } finally {
      if (!whole && owned) {
        made.closeAndUnlink();
      }
    }
  }

  @Nullable SharedMemoryArena input() {
    return input;
  }

  @Nullable SharedMemoryArena output() {
    return output;
  }

  @Nullable ArenaWriter writer() {
    return writer;
  }

  @Nullable ArenaReader reader() {
    return reader;
  }

  /**
   * Opens this process's endpoints.
   *
   * @throws IllegalArgumentException when workers are to be replaced and an arena cannot do its
   *     part
   */
  void open(OnWorkerDeath reaction) {
    if (reaction == OnWorkerDeath.RESTART) {
      try {
        freeWorkersSides();
      } catch (UnsupportedOperationException | IllegalStateException e) {
        throw new IllegalArgumentException(
            "a region cannot restart its workers over this arena: " + e.getMessage(), e);
      }
    }
    if (input != null) {
      writer = input.openWriter();
    }
    if (output != null) {
      reader = output.openReader();
    }
  }

  /** Frees the sides that a dead worker had. */
  void freeWorkersSides() {
    if (output != null) {
      output.takeOver(Side.WRITER);
    }
    if (input != null) {
      input.takeOver(Side.READER);
    }
  }

  /**
   * Returns the failure when it says that one of these arenas is closed, or that any is damaged:
   * then no item can cross any more.
   */
  @Nullable RuntimeException lost(Throwable failure) {
    return switch (failure) {
      case ArenaCorruptedException e -> e;
      case ArenaClosedException e when concerns(e) -> e;
      default -> null;
    };
  }

  private boolean concerns(ArenaClosedException closed) {
    Object named = closed.facts().get("arena");
    return arenas().stream().anyMatch(arena -> arena.arenaId().toString().equals(named));
  }

  /** Makes a worker that waits for space look at its commands. */
  void wake() {
    Steps steps = new Steps();
    arenas().forEach(arena -> steps.run(arena::wake));
    steps.end();
  }

  /** Gives everything back, as far as it goes; the worker has ended. */
  void close() {
    Steps steps = new Steps();
    if (reader != null) {
      steps.run(reader::close);
    }
    if (writer != null) {
      steps.run(writer::close);
    }
    steps.run(owned ? this::closeAndUnlink : this::leaveToTheirOwner);
    steps.end();
  }

  private void leaveToTheirOwner() {
    try {
      freeWorkersSides();
    } catch (UnsupportedOperationException | IllegalStateException e) {
      // somebody else's arena, or closed by its owner already
      LOG.log(Logger.Level.DEBUG, "the side of a worker that has ended stays claimed", e);
    }
  }

  /** An arena is unlinked only when it could be closed. */
  private void closeAndUnlink() {
    Steps steps = new Steps();
    for (SharedMemoryArena arena : arenas()) {
      steps.run(
          () -> {
            arena.close();
            arena.unlink();
            atExit.remove(arena);
          });
    }
    steps.end();
  }

  private List<SharedMemoryArena> arenas() {
    return Stream.of(Optional.ofNullable(input), Optional.ofNullable(output))
        .flatMap(Optional::stream)
        .toList();
  }

  private static void unlink(List<SharedMemoryArena> arenas) {
    Steps steps = new Steps();
    arenas.forEach(arena -> steps.run(arena::unlink));
    steps.end();
  }
}
