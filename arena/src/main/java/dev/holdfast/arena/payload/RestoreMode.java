package dev.holdfast.arena.payload;

/** What the offloaded binaries of an item become. */
public enum RestoreMode {
  /** Views of the arena where Java can have them, arrays otherwise. */
  VIEWS,
  /**
   * Copies on the heap, of the same types. Items of which {@link Envelope#allowsHeapCopies} is
   * false stay views.
   */
  HEAP_COPIES
}
