package dev.holdfast.arena.payload;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/**
 * Claims one kind of binary: says what its bytes are and makes the object again. Handlers have no
 * state that changes; every method may be called by several threads at once. None of them may
 * change the payload.
 *
 * @param <T> what it claims
 */
public interface PayloadHandler<T> {

  /** How many bytes {@link #meta} may return. */
  int MAX_META_BYTES = 65_535;

  /**
   * Returns the name under which binaries of this handler travel. The reading side finds the
   * handler by it.
   *
   * @return 1 to 100 printable ASCII characters, unique in a registry
   */
  String kind();

  /**
   * Returns the type of the objects it claims. What it restores is checked against this type before
   * it enters the item.
   *
   * @return the class, an interface or an array class
   */
  Class<T> type();

  /**
   * Decides about one object of {@link #type}. Cheap and without side effects.
   *
   * @param candidate the object
   * @return whether this handler claims it
   */
  default boolean matches(T candidate) {
    return true;
  }

  /**
   * Returns the bytes of a payload, from the first to the last. Called once for each occurrence.
   *
   * @param payload the object
   * @return its bytes, heap or native, which must stay as they are until the item is encoded
   * @throws IOException when the bytes cannot be had
   */
  MemorySegment bytes(T payload) throws IOException;

  /**
   * Returns what is needed besides the bytes, in a form of the handler's own. Called after {@link
   * #bytes}.
   *
   * @param payload the object
   * @return at most {@link #MAX_META_BYTES} bytes
   */
  default byte[] meta(T payload) {
    return new byte[0];
  }

  /**
   * Returns whether {@link #restoreView} makes objects that go on reading the memory they were
   * given. When it does not, only {@link #restoreCopy} is called and the unit is not held.
   *
   * @return true unless overridden
   */
  default boolean aliases() {
    return true;
  }

  /**
   * Returns whether {@link #restoreCopy} can stand in for a view of an offloaded binary.
   *
   * @return true unless overridden
   */
  default boolean hasHeapForm() {
    return true;
  }

  /**
   * Makes the object on memory that stays valid as long as something made from {@code view} is
   * reachable or its lease is open.
   *
   * @param view the bytes, read-only unless views of the arena may be written
   * @param meta what {@link #meta} returned
   * @return the object
   * @throws IOException when bytes and meta do not make such an object
   */
  T restoreView(MemorySegment view, byte[] meta) throws IOException;

  /**
   * Makes the object on heap memory of its own.
   *
   * @param bytes the bytes, valid during the call only
   * @param meta what {@link #meta} returned
   * @param writable whether a buffer or a segment may be written; arrays always may
   * @return the object
   * @throws IOException when bytes and meta do not make such an object
   */
  T restoreCopy(MemorySegment bytes, byte[] meta, boolean writable) throws IOException;
}
