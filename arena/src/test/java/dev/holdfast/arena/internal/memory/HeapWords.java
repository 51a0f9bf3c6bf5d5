package dev.holdfast.arena.internal.memory;

import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;

/**
 * Shared words on the heap, for tests and model checkers that cannot see into memory segments. A
 * long and an int at the same offset are different words, as no layout uses one offset for both.
 */
public class HeapWords implements SharedWords {
  private static final long LOOK_AGAIN_NANOS = 20_000;

  private final AtomicLongArray longs;
  private final AtomicIntegerArray ints;

  /** Makes words of zero. */
  public HeapWords(long byteSize) {
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
    long start = System.nanoTime();
    while (getIntVolatile(offset) == seen && System.nanoTime() - start < nanos) {
      LockSupport.parkNanos(LOOK_AGAIN_NANOS);
    }
  }

  @Override
  public void wake(long offset) {}
}
