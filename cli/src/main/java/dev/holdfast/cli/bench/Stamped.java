package dev.holdfast.cli.bench;

/** Which words of an item are stamped and checked. */
public enum Stamped {
  /** Each eighth byte. */
  EVERY_WORD,
  /** The first and the last 64 bytes, and one word in each 64 KiB. */
  SAMPLES,
  /** The first and the last 64 bytes alone, so that nothing depends on the size. */
  EDGES
}
