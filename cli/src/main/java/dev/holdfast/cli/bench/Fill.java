package dev.holdfast.cli.bench;

/** How the producer of a cell makes the bytes of an item. */
public enum Fill {
  /** In memory of its own, all of it; the transport takes it from there. */
  OWN_MEMORY,
  /** In the memory where the consumer reads, and only at both ends. */
  IN_PLACE,
  /** As {@link #IN_PLACE}, in memory that several threads may fill. */
  IN_PLACE_SHARED;

  boolean inPlace() {
    return this != OWN_MEMORY;
  }
}
