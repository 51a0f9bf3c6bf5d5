package dev.holdfast.loader.internal.parent;

import dev.holdfast.arena.ViewScope;
import dev.holdfast.loader.Lease;
import dev.holdfast.loader.Parcel;
import dev.holdfast.loader.SubprocessIterable;
import java.lang.ref.Reference;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** An arrival that its receiver opens. Keeps the public handle reachable until then. */
final class ReceivedParcel<T extends @Nullable Object> implements Parcel<T> {
  private final SubprocessIterable<?> handle;
  private final Restorer<T> restorer;
  private final Arrival.Item item;
  private final AtomicBoolean used = new AtomicBoolean();

  ReceivedParcel(SubprocessIterable<?> handle, Restorer<T> restorer, Arrival.Item item) {
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
    if (!used.compareAndSet(false, true)) {
      throw new IllegalStateException(
          "the parcel was opened or discarded before: index=" + item.index());
    }
  }
}
