package dev.holdfast.arena.payload;

import java.io.Serial;
import java.io.Serializable;

/** What stands in the object stream for an object that was written beside it. Immutable. */
final class SharedMarker implements Serializable {
  @Serial private static final long serialVersionUID = 1L;

  private final int handle;

  SharedMarker(int handle) {
    this.handle = handle;
  }

  int handle() {
    return handle;
  }
}
