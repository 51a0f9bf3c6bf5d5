package dev.holdfast.arena.internal.memory;

import dev.holdfast.arena.PagePinner;
import java.util.concurrent.atomic.AtomicBoolean;

/** The registration of zero bytes: there is nothing to lock and nothing to unlock. */
public final class NoRegistration implements PagePinner.Registration {
  private final AtomicBoolean active = new AtomicBoolean(true);

  @Override
  public long byteSize() {
    return 0;
  }

  @Override
  public boolean isForeign() {
    return false;
  }

  @Override
  public boolean isActive() {
    return active.get();
  }

  @Override
  public void close() {
    active.set(false);
  }
}
