package dev.holdfast.loader.internal.parent;

import dev.holdfast.arena.internal.life.StackRoom;
import dev.holdfast.loader.SubprocessIterable;
import java.lang.ref.Reference;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One pass. Keeps the public handle reachable, so that the worker is not taken for dropped while
 * somebody iterates.
 *
 * @param <R> what each item becomes
 */
final class PassIterator<R extends @Nullable Object> implements Iterator<R> {
  private final SubprocessIterable<?> handle;
  private final Session session;
  private final PassState pass;
  private final Function<Arrival.Item, R> opening;

  PassIterator(SubprocessIterable<?> handle, Session session, Function<Arrival.Item, R> opening) {
    this.handle = handle;
    this.session = session;
    this.pass = session.newPass();
    this.opening = opening;
  }

  @Override
  public boolean hasNext() {
    try {
      return !(arrival(false) instanceof Arrival.End);
    } finally {
      Reference.reachabilityFence(handle);
    }
  }

  @Override
  public R next() {
    StackRoom.requireAround(1); // behind the next step nobody but us can give the item back
    try {
      return switch (arrival(true)) {
        case Arrival.Item item -> opening.apply(item);
        case Arrival.Answer _ -> throw new IllegalStateException("an answer without a region");
        case Arrival.Failure(var failure) -> throw failure;
        case Arrival.Lasting(var failure) -> throw failure;
        case Arrival.End _ ->
            throw new NoSuchElementException("the pass has ended: items=" + pass.index);
      };
    } finally {
      Reference.reachabilityFence(handle);
    }
  }

  /** Looks at what comes next, and takes it. */
  private Arrival arrival(boolean take) {
    try {
      session.lock().lockInterruptibly();
    } catch (InterruptedException e) {
      throw Failures.interrupted(e);
    }
    try {
      Arrival next = session.nextOf(pass);
      pass.next = take ? null : next;
      return next;
    } finally {
      session.lock().unlock();
    }
  }
}
