package dev.holdfast.arena.internal.life;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** The one place where bytes of the global scope become views of a scope that can end. */
@SuppressWarnings("restricted")
public final class Views {
  private Views() {}

  /** Returns a view of bytes that lives as long as an arena. */
  public static MemorySegment of(MemorySegment bytes, Arena scope) {
    return bytes.reinterpret(bytes.byteSize(), scope, null);
  }

  /** Returns bytes at an address in the global scope: only for who is an owner of them. */
  static MemorySegment unscoped(MemorySegment address, long byteSize) {
    return address.reinterpret(byteSize);
  }
}
