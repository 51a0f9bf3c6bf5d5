package dev.holdfast.arena;

/** One of the two endpoints of an arena. */
public enum Side {
  /** The endpoint that writes units. */
  WRITER,
  /** The endpoint that opens and releases units. */
  READER
}
