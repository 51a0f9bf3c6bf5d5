package dev.holdfast.acceptance.arena;

import dev.holdfast.arena.StorageHold;
import dev.holdfast.arena.UnitLease;
import dev.holdfast.arena.ViewScope;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.List;

/**
 * A lease on private copies: closing it ends the views; holds keep the collected copy reachable.
 */
final class CopyLease implements UnitLease {
  private final ViewScope scope;
  private final Arena views;
  private final MemorySegment copy;
  private final List<?> anchors;
  private volatile State state = State.OPEN;

  CopyLease(ViewScope scope, Arena views, MemorySegment copy, List<?> anchors) {
    this.scope = scope;
    this.views = views;
    this.copy = copy;
    this.anchors = List.copyOf(anchors);
  }

  @Override
  public StorageHold hold() {
    if (state != State.OPEN) {
      throw new IllegalStateException("the lease is not open: anchors=" + anchors.size());
    }
    return new CopyHold(copy);
  }

  @Override
  public State state() {
    return state;
  }

  @Override
  public ViewScope scope() {
    return scope;
  }

  @Override
  public synchronized void close() {
    if (state == State.OPEN) {
      if (scope != ViewScope.COLLECTED) {
        views.close();
      }
      state = State.CLOSED;
    }
  }

  @Override
  public boolean close(Duration timeout) {
    close();
    return scope != ViewScope.COLLECTED;
  }

  /** Keeps a copy reachable. */
  private static final class CopyHold implements StorageHold {
    private final MemorySegment copy;
    private volatile boolean closed;

    CopyHold(MemorySegment copy) {
      this.copy = copy;
    }

    @Override
    public MemorySegment segment() {
      if (closed) {
        throw new IllegalStateException("the hold is closed");
      }
      return copy;
    }

    @Override
    public ByteBuffer buffer() {
      return segment().asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
    }

    @Override
    public void close() {
      closed = true;
    }
  }
}
