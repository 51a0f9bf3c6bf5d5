package dev.holdfast.arena.internal.pool;

import dev.holdfast.arena.StorageHold;
import dev.holdfast.arena.TicketLease;
import dev.holdfast.arena.UnitLease;
import dev.holdfast.arena.ViewScope;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The lease of a recovered ticket: a unit's lease and the one view of it. */
final class RecoveredLease implements TicketLease {
  private final UnitLease lease;
  private volatile @Nullable MemorySegment view;

  RecoveredLease(UnitLease lease, MemorySegment view) {
    this.lease = lease;
    this.view = view;
  }

  @Override
  public MemorySegment segment() {
    MemorySegment bytes = view;
    if (bytes == null) {
      throw new IllegalStateException("the lease is closed");
    }
    return bytes;
  }

  @Override
  public StorageHold hold() {
    return lease.hold();
  }

  @Override
  public State state() {
    return lease.state();
  }

  @Override
  public ViewScope scope() {
    return lease.scope();
  }

  @Override
  public void close() {
    lease.close();
    view = null;
  }

  @Override
  public boolean close(Duration timeout) {
    close();
    return lease.close(timeout);
  }
}
