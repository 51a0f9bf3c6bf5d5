package dev.holdfast.loader.pipeline;

import dev.holdfast.arena.SharedMemoryArena;
import java.io.Serializable;

/**
 * Gives each worker of a region its arena. Called once per worker by {@link Pipeline#build}. In a
 * pipeline that runs in the calling process the arenas are the caller's, who closes and unlinks
 * them. With {@link dev.holdfast.loader.Subprocess#iterate(Pipeline,
 * dev.holdfast.loader.SubprocessOptions)} this is called in the host worker, which owns what it
 * makes; an arena that exists already cannot cross to it.
 */
@FunctionalInterface
public interface ArenaSource extends Serializable {

  /**
   * Returns the arena of one worker.
   *
   * @param index the worker's index, from 0
   * @return an arena of its own, nobody else's endpoint
   */
  SharedMemoryArena arena(int index);
}
