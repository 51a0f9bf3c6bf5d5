package dev.holdfast.loader.internal.parent;

import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.loader.Lease;
import dev.holdfast.loader.Parcel;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.SubprocessStats;
import java.lang.ref.Cleaner;
import java.util.Iterator;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The public handle of a worker. Nothing of ours refers to it but its iterators and unopened
 * parcels.
 */
final class WorkerIterable<T extends @Nullable Object> implements SubprocessIterable<T> {
  private final Session session;
  private final Teardown teardown;
  private final Restorer<T> restorer;
  private final @Nullable SharedMemoryArena arena;
  private final Cleaner.Cleanable whenDropped;

  WorkerIterable(Session session, Teardown teardown, @Nullable SharedMemoryArena arena) {
    this.session = session;
    this.teardown = teardown;
    this.restorer = session.newRestorer();
    this.arena = arena;
    this.whenDropped = Dropped.watch(this, teardown);
  }

  @Override
  public Iterator<T> iterator() {
    return new PassIterator<>(this, session, restorer::plain);
  }

  @Override
  public Iterable<Lease<T>> leases(ViewScope scope) {
    Objects.requireNonNull(scope, "scope");
    return () -> new PassIterator<Lease<T>>(this, session, item -> restorer.lease(item, scope));
  }

  @Override
  public Iterable<Parcel<T>> parcels() {
    return () ->
        new PassIterator<Parcel<T>>(
            this, session, item -> new ReceivedParcel<T>(this, restorer, item));
  }

  @Override
  public long pid() {
    return session.process().pid();
  }

  @Override
  public Optional<SharedMemoryArena> arena() {
    return Optional.ofNullable(arena);
  }

  @Override
  public SubprocessStats stats() {
    return session.figures().snapshot(pid());
  }

  @Override
  public void close() {
    try {
      teardown.close();
    } finally {
      whenDropped.clean();
    }
  }
}
