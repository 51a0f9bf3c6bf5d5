package dev.holdfast.loader.internal.parent;

import dev.holdfast.arena.ViewScope;
import dev.holdfast.arena.internal.life.StackRoom;
import dev.holdfast.loader.Lease;
import dev.holdfast.loader.Parcel;
import java.lang.ref.Reference;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** An arrival that its receiver opens. Keeps the public handle reachable until then. */
public final class ReceivedParcel<T extends @Nullable Object> implements Parcel<T> {
  private final Object handle;
  private final Restorer<T> restorer;
  private final Arrival.Item item;
  private final AtomicBoolean used = new AtomicBoolean();

  /** Makes a parcel that keeps a handle reachable. */
  public ReceivedParcel(Object handle, Restorer<T> restorer, Arrival.Item item) {
    this.handle = handle;
    this.restorer = restorer;
    this.item = item;
  }

  @Override
  public Lease<T> open(ViewScope scope) {
    use();
    try {
      return restorer.lease(item, scope);
    } finally {
      Reference.reachabilityFence(handle);
    }
  }

  /** Opens it for good: its storage is kept until its views are collected. */
  public T plain() {
    use();
    try {
      return restorer.plain(item);
    } finally {
      Reference.reachabilityFence(handle);
    }
  }

  @Override
  public void discard() {
    use();
    try {
      restorer.discard(item);
    } finally {
      Reference.reachabilityFence(handle);
    }
  }

  private void use() {
    StackRoom.requireAround(1); // behind the next step nobody but us can give the item back
    if (!used.compareAndSet(false, true)) {
      throw new IllegalStateException(
          "the parcel was opened or discarded before: index=" + item.index());
    }
  }
}
