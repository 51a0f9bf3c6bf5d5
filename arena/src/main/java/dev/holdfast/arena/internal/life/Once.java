package dev.holdfast.arena.internal.life;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Something that is made at its first use, and tried again at the next one when it could not be
 * made. What needs a thread is made so: a static initializer that the system refuses one would
 * leave its class unusable for ever, although the thread can be had a moment later.
 *
 * <p>Once it is there, {@link #get} is a volatile read: it allocates nothing and takes no lock.
 *
 * @param <T> what is made
 */
public final class Once<T> {
  private final Supplier<T> maker;
  private volatile @Nullable T made;

  /**
   * Makes nothing yet.
   *
   * @param maker makes it; may throw, and is then asked again
   */
  public Once(Supplier<T> maker) {
    this.maker = maker;
  }

  /** Returns it. */
  public T get() {
    T present = made;
    return present == null ? make() : present;
  }

  private synchronized T make() {
    T present = made;
    if (present == null) {
      present = maker.get();
      made = present;
    }
    return present;
  }
}
