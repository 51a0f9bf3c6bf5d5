package dev.holdfast.arena.payload;

import java.io.Serial;
import java.io.Serializable;

/** What stands in the object stream for a binary. Immutable. */
final class Marker implements Serializable {
  @Serial private static final long serialVersionUID = 1L;
  private static final Marker[] FIRST = new Marker[64];

  static {
    for (int i = 0; i < FIRST.length; i++) {
      FIRST[i] = new Marker(i);
    }
  }

  private final int number;

  private Marker(int number) {
    this.number = number;
  }

  static Marker of(int number) {
    return number < FIRST.length ? FIRST[number] : new Marker(number);
  }

  int number() {
    return number;
  }
}
