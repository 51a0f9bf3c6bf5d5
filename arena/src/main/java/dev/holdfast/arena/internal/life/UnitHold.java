package dev.holdfast.arena.internal.life;

import dev.holdfast.arena.StorageHold;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/** A hold on a unit's bytes. Thread-safe. */
final class UnitHold implements StorageHold {
  private final Owned unit;
  private final MemorySegment bytes;
  private final DroppedHold dropped;
  private @Nullable Arena scope; // this and its end guarded by this
  private @Nullable EndScope endScope; // made with it, since closing needs no heap
  private boolean closed; // guarded by this

  /**
   * Takes over an owner that the caller has added to the unit, also when there is no heap for a
   * hold.
   */
  static UnitHold of(Owned unit, MemorySegment bytes) {
    boolean made = false;
    try {
      UnitHold hold = new UnitHold(unit, bytes);
      made = true;
      return hold;
    } finally {
      if (!made) {
        unit.retire();
      }
    }
  }

  private UnitHold(Owned unit, MemorySegment bytes) {
    this.unit = unit;
    this.bytes = bytes;
    this.dropped = new DroppedHold(this, unit, bytes);
  }

  @Override
  @SuppressWarnings("MustBeClosedChecker") // close has the closer end it
  public synchronized MemorySegment segment() {
    if (closed) {
      throw new IllegalStateException("the hold is closed: unit=" + unit.unit());
    }
    Arena own = scope;
    if (own == null) {
      own = Arena.ofShared();
      endScope = new EndScope(unit, own);
      scope = own;
    }
    return Views.of(bytes, own).asReadOnly();
  }

  @Override
  public ByteBuffer buffer() {
    return segment().asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
  }

  @Override
  public void close() {
    StackRoom.require();
    EndScope end;
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      end = scope == null ? null : endScope;
    }
    try {
      dropped.closed();
    } finally {
      if (end == null) {
        unit.retire();
      } else {
        Closer.submit(end);
      }
    }
  }

  /** Ends the hold's own scope; an operation in flight delays it. */
  private static final class EndScope extends Closer.Task {
    private final Owned unit;
    private final Arena scope;
    private boolean retired; // the closer's

    EndScope(Owned unit, Arena scope) {
      this.unit = unit;
      this.scope = scope;
    }

    @Override
    protected boolean run() {
      if (scope.scope().isAlive()) { // else an Error had ended an earlier try half-way
        try {
          scope.close();
        } catch (IllegalStateException e) {
          return false;
        }
      }
      if (!retired) { // else there was no heap for what follows from it, which is made up for
        retired = true;
        unit.retire();
      }
      return true;
    }
  }
}
