package dev.holdfast.loader.internal.pipeline;

import dev.holdfast.arena.ViewScope;
import dev.holdfast.arena.internal.life.StackRoom;
import dev.holdfast.loader.Lease;
import dev.holdfast.loader.Parcel;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A result that its receiver opens. */
final class ResultParcel implements Parcel<@Nullable Object> {
  private final Content content;
  private final AtomicBoolean used = new AtomicBoolean();

  ResultParcel(Content content) {
    this.content = content;
  }

  @Override
  public Lease<@Nullable Object> open(ViewScope scope) {
    use();
    return content.open(scope);
  }

  @Override
  public void discard() {
    use();
    content.discard();
  }

  private void use() {
    StackRoom.requireAround(2); // behind the next step nobody but us can give the item back
    if (!used.compareAndSet(false, true)) {
      throw new IllegalStateException("the parcel was opened or discarded before");
    }
  }
}
