package dev.holdfast.arena.payload;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A record that has arrived and whose item is not restored yet. Immutable, on the heap; any thread
 * may restore it, once or several times, or drop it.
 */
public final class Envelope {

  /**
   * One binary of the item; {@code offset} counts in the arena, or in the record when it is inline.
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Binary(
      String kind,
      @Nullable PayloadHandler<?> handler,
      boolean inArena,
      long offset,
      long byteSize,
      byte[] meta) {}

  private final Object decoder;
  private final byte[] bytes;
  private final int bodySize;
  private final List<Binary> all;

  Envelope(Object decoder, byte[] bytes, int bodySize, List<Binary> all) {
    this.decoder = decoder;
    this.bytes = bytes;
    this.bodySize = bodySize;
    this.all = all;
  }

  /**
   * Returns whether the offloaded binaries can become heap copies.
   *
   * @return false when one of them is a bare memory segment or has 2 GiB and more
   */
  public boolean allowsHeapCopies() {
    for (Binary binary : all) {
      PayloadHandler<?> handler = binary.handler();
      boolean copyable = handler != null && (!handler.aliases() || handler.hasHeapForm());
      if (binary.inArena() && (!copyable || binary.byteSize() > Copies.MAX_ARRAY_LENGTH)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns how many binaries of the item lie in the arena.
   *
   * @return the count
   */
  public int binaries() {
    return (int) all.stream().filter(Binary::inArena).count();
  }

  /**
   * Returns how many bytes of the item lie in the arena.
   *
   * @return the sum over all its offloaded binaries
   */
  public long binaryBytes() {
    return all.stream().filter(Binary::inArena).mapToLong(Binary::byteSize).sum();
  }

  Object decoder() {
    return decoder;
  }

  byte[] bytes() {
    return bytes;
  }

  int bodySize() {
    return bodySize;
  }

  List<Binary> all() {
    return all;
  }
}
