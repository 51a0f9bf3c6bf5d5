package dev.holdfast.stress;

import dev.holdfast.arena.internal.memory.SharedWords;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Shared words in arrays, which the model checker sees into, unlike memory segments. Nobody waits
 * for a change of them.
 */
final class ArrayWords implements SharedWords {
  private final AtomicLongArray longs;
  private final AtomicIntegerArray ints;

  ArrayWords(long byteSize) {
    longs = new AtomicLongArray((int) (byteSize / Long.BYTES));
    ints = new AtomicIntegerArray((int) (byteSize / Integer.BYTES));
  }

  @Override
  public long getVolatile(long offset) {
    return longs.get((int) (offset / Long.BYTES));
  }

  @Override
  public void setVolatile(long offset, long value) {
    longs.set((int) (offset / Long.BYTES), value);
  }

  @Override
  public long getAcquire(long offset) {
    return longs.getAcquire((int) (offset / Long.BYTES));
  }

  @Override
  public void setRelease(long offset, long value) {
    longs.setRelease((int) (offset / Long.BYTES), value);
  }

  @Override
  public boolean compareAndSet(long offset, long expected, long value) {
    return longs.compareAndSet((int) (offset / Long.BYTES), expected, value);
  }

  @Override
  public int getIntVolatile(long offset) {
    return ints.get((int) (offset / Integer.BYTES));
  }

  @Override
  public void setIntVolatile(long offset, int value) {
    ints.set((int) (offset / Integer.BYTES), value);
  }

  @Override
  public int getAndAddInt(long offset, int delta) {
    return ints.getAndAdd((int) (offset / Integer.BYTES), delta);
  }

  @Override
  public void awaitChange(long offset, int seen, long nanos) {
    throw new AssertionError("nothing waits here");
  }

  @Override
  public void wake(long offset) {}
}
