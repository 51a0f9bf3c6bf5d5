package dev.holdfast.arena.internal.pool;

import dev.holdfast.arena.internal.core.ArenaCore;
import dev.holdfast.arena.internal.memory.ArenaWords;
import dev.holdfast.arena.internal.memory.Claim;

/**
 * A pool serves streams or tickets, fixed by its first use. While an endpoint is held its claim
 * says which; later the words do: only a seal ever stores a {@code sealed} word.
 */
public final class PoolUse {
  private PoolUse() {}

  /**
   * Fails when a pool has served for something else.
   *
   * @throws IllegalStateException then
   */
  public static void require(ArenaCore core, Claim.Use use) {
    core.enter();
    try {
      ArenaWords words = core.words();
      boolean sealed = anySealed(words, core.geometry().segments());
      if (use == Claim.Use.STREAMS && sealed) {
        throw core.usedOtherwise(use, Claim.Use.TICKETS);
      }
      if (use == Claim.Use.TICKETS && !sealed && words.publishedAcquire() > 0) {
        throw core.usedOtherwise(use, Claim.Use.STREAMS);
      }
    } catch (InternalError e) {
      throw core.fault(e);
    } finally {
      core.exit();
    }
  }

  private static boolean anySealed(ArenaWords words, long segments) {
    for (long segment = 0; segment < segments; segment++) {
      if (words.sealedAcquire(segment) != 0) {
        return true;
      }
    }
    return false;
  }
}
