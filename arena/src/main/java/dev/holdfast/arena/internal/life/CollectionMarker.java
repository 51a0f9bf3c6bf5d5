package dev.holdfast.arena.internal.life;

import java.lang.ref.PhantomReference;

/**
 * Garbage that a collection was asked for with: once the cleaner has met it, the cleaner is at work
 * on what that collection has found.
 */
public final class CollectionMarker extends PhantomReference<Object> {
  private volatile boolean met;

  private CollectionMarker(Object garbage) {
    super(garbage, ViewGuard.queue());
  }

  /** Makes an object that nobody refers to, and its marker. */
  public static CollectionMarker drop() {
    return new CollectionMarker(new Object());
  }

  /** Returns whether the cleaner has met it. */
  public boolean isMet() {
    return met;
  }

  void meet() {
    met = true;
  }
}
