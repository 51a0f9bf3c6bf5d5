package dev.holdfast.loader.internal.pipeline;

import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.HoldfastInterruptedException;
import dev.holdfast.arena.internal.life.StackRoom;
import java.lang.ref.Reference;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One pass. Keeps the public handle reachable, so that the pipeline is not taken for dropped while
 * somebody iterates.
 *
 * @param <R> what each result becomes
 */
final class ResultIterator<R extends @Nullable Object> implements Iterator<R> {
  private final Object handle;
  private final Engine engine;
  private final Engine.Pass pass;
  private final Function<Content, R> opening;

  ResultIterator(Object handle, Engine engine, Function<Content, R> opening) {
    this.handle = handle;
    this.engine = engine;
    this.pass = engine.newPass();
    this.opening = opening;
  }

  @Override
  public boolean hasNext() {
    try {
      return !(next(false) instanceof Next.End);
    } finally {
      Reference.reachabilityFence(handle);
    }
  }

  @Override
  public R next() {
    StackRoom.requireAround(2); // behind the next step nobody but us can give the item back
    try {
      return switch (next(true)) {
        case Next.Item(var content) -> opening.apply(content);
        case Next.Failure(var failure) -> throw failure;
        case Next.Lasting(var failure) -> throw failure;
        case Next.End _ -> throw new NoSuchElementException("the pass has ended");
      };
    } finally {
      Reference.reachabilityFence(handle);
    }
  }

  /** Looks at what comes next, and takes it. */
  private Next next(boolean take) {
    try {
      engine.consuming().lockInterruptibly();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new HoldfastInterruptedException(
          FailureDetail.of("interrupted while another thread takes the next result"), e);
    }
    try {
      Next next = engine.nextOf(pass);
      if (take) {
        engine.taken(pass, next);
      }
      return next;
    } finally {
      engine.consuming().unlock();
    }
  }
}
