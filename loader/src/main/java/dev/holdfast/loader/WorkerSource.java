package dev.holdfast.loader;

import java.io.Serializable;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes the iterable that a worker runs over. The source crosses to the worker by serialization and
 * is opened there once; each pass of the consumer asks the iterable for a new iterator. The
 * iterable itself and its iterators never cross.
 *
 * @param <T> the type of the items
 */
@SuppressWarnings("exports") // the nullness annotations are not there at run time
@FunctionalInterface
public interface WorkerSource<T extends @Nullable Object> extends Serializable {

  /**
   * Opens the source in the worker, on its main thread.
   *
   * @param context the worker
   * @return what to iterate over, once per pass
   * @throws Exception when there is nothing to iterate over; the call that starts the worker fails
   *     with it
   */
  Iterable<T> open(WorkerContext context) throws Exception;

  /**
   * Returns whether memory of {@link WorkerContext#allocate(long)} may be filled by several
   * threads. Then its end costs a handshake with every thread of the worker for each item; without
   * it the memory belongs to the iterating thread and ends at once. The threads have to be done,
   * and waited for, before the item is yielded.
   *
   * @return false unless overridden, or made so by {@link #withSharedFill}
   */
  default boolean sharedFill() {
    return false;
  }

  /**
   * Returns this source with {@link #sharedFill}.
   *
   * @return a source that opens as this one does
   */
  default WorkerSource<T> withSharedFill() {
    return new SharedFill<>(this);
  }

  /**
   * Adapts an iterable that can be serialized.
   *
   * @param iterable what crosses; whether it can is found out when the worker is started, before
   *     there is a process
   * @param <T> the type of the items
   * @return the source
   */
  static <T extends @Nullable Object> WorkerSource<T> of(Iterable<T> iterable) {
    return new OfIterable<>(Objects.requireNonNull(iterable, "iterable"));
  }

  /**
   * Adapts a supplier, which is called in the worker.
   *
   * @param supplier what crosses; a lambda written in place can
   * @param <T> the type of the items
   * @param <S> a supplier that can be serialized
   * @return the source
   */
  static <T extends @Nullable Object, S extends Supplier<? extends Iterable<T>> & Serializable>
      WorkerSource<T> supplied(S supplier) {
    return new OfSupplier<>(Objects.requireNonNull(supplier, "supplier"));
  }
}
