package dev.holdfast.loader.internal.region;

import dev.holdfast.arena.ArenaReader;
import dev.holdfast.arena.ArenaWriter;
import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.arena.Side;
import dev.holdfast.arena.internal.life.ExitHook;
import dev.holdfast.loader.pipeline.OnWorkerDeath;
import java.lang.System.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The arenas of one worker and this process's endpoints of them, which outlive workers that are
 * replaced.
 */
final class LaneArenas {
  private static final Logger LOG = System.getLogger("dev.holdfast.loader");

  private final @Nullable SharedMemoryArena input;
  private final @Nullable SharedMemoryArena output;
  private final boolean owned;
  private @Nullable ArenaWriter writer;
  private @Nullable ArenaReader reader;

  LaneArenas(@Nullable SharedMemoryArena input, @Nullable SharedMemoryArena output, boolean owned) {
    this.input = input;
    this.output = output;
    this.owned = owned;
    if (owned) {
      ExitHook.atExit("unlink the arenas of a region", this::unlink);
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
        replaceWorkersEnds();
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
  void replaceWorkersEnds() {
    if (output != null) {
      output.takeOver(Side.WRITER);
    }
    if (input != null) {
      input.takeOver(Side.READER);
    }
  }

  /** Makes a worker that waits for space look at its commands. */
  void wake() {
    if (input != null) {
      input.wake();
    }
    if (output != null) {
      output.wake();
    }
  }

  /** Gives everything back; the worker has ended. */
  void close() {
    if (reader != null) {
      reader.close();
    }
    if (writer != null) {
      writer.close();
    }
    if (owned) {
      closeAll();
      unlink();
      return;
    }
    try {
      replaceWorkersEnds();
    } catch (UnsupportedOperationException | IllegalStateException e) {
      // somebody else's arena, or closed by its owner already
      LOG.log(Logger.Level.DEBUG, "the side of a worker that has ended stays claimed", e);
    }
  }

  private void closeAll() {
    if (input != null) {
      input.close();
    }
    if (output != null) {
      output.close();
    }
  }

  private void unlink() {
    if (input != null) {
      input.unlink();
    }
    if (output != null) {
      output.unlink();
    }
  }
}
