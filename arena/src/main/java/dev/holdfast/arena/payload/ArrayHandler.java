package dev.holdfast.arena.payload;

import java.io.StreamCorruptedException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.Function;
import java.util.function.IntFunction;

/**
 * Primitive arrays. Java cannot alias them, so they are copied straight into a new array and hold
 * nothing.
 *
 * @param <A> the array type
 */
final class ArrayHandler<A> implements PayloadHandler<A> {
  private final Class<A> type;
  private final ValueLayout layout;
  private final Function<A, MemorySegment> bytes;
  private final IntFunction<A> newArray;

  ArrayHandler(
      Class<A> type,
      ValueLayout layout,
      Function<A, MemorySegment> bytes,
      IntFunction<A> newArray) {
    this.type = type;
    this.layout = layout;
    this.bytes = bytes;
    this.newArray = newArray;
  }

  @Override
  public String kind() {
    return type.getSimpleName();
  }

  @Override
  public Class<A> type() {
    return type;
  }

  @Override
  public MemorySegment bytes(A payload) {
    return bytes.apply(payload);
  }

  @Override
  public boolean aliases() {
    return false;
  }

  @Override
  public A restoreView(MemorySegment view, byte[] meta) throws StreamCorruptedException {
    return restoreCopy(view, meta, true);
  }

  @Override
  public A restoreCopy(MemorySegment source, byte[] meta, boolean writable)
      throws StreamCorruptedException {
    int length = StandardHandlers.elements(source, layout.byteSize(), kind());
    A copy = newArray.apply(length);
    Copies.toArray(source, layout, copy, length);
    return copy;
  }
}
