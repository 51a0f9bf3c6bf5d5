package dev.holdfast.examples.folder;

import dev.holdfast.arena.StorageHold;
import dev.holdfast.arena.UnitLease;
import dev.holdfast.arena.ViewScope;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.List;

/** The right to a mapped unit; closing it unmaps, unless the collector is to do that. */
final class MappedLease implements UnitLease {
  private final MemorySegment bytes;
  private final Arena views;
  private final ViewScope scope;
  private volatile List<?> anchors;
  private volatile State state = State.OPEN;

  MappedLease(MemorySegment bytes, Arena views, ViewScope scope, List<?> anchors) {
    this.bytes = bytes;
    this.views = views;
    this.scope = scope;
    this.anchors = anchors;
  }

  /** A hold of this arena is a private copy: simple, and it outlives everything. */
  @Override
  public StorageHold hold() {
    if (state != State.OPEN) {
      throw new IllegalStateException("the lease is closed");
    }
    return new Copy(Arena.ofAuto().allocate(bytes.byteSize(), 64).copyFrom(bytes).asReadOnly());
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
        views.close(); // throws, and changes nothing, while a native call reads
      }
      anchors = List.of();
      state = State.CLOSED;
    }
  }

  @Override
  public boolean close(Duration timeout) {
    close();
    return scope != ViewScope.COLLECTED;
  }

  @Override
  public String toString() {
    return "lease of " + bytes.byteSize() + " mapped bytes with " + anchors.size() + " anchors";
  }

  /** Bytes that nobody ends. */
  private record Copy(MemorySegment segment) implements StorageHold {
    @Override
    public ByteBuffer buffer() {
      return segment.asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
    }

    @Override
    public void close() {}
  }
}
