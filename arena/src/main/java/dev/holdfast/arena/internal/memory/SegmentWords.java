package dev.holdfast.arena.internal.memory;

import dev.holdfast.arena.internal.os.Futex;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Shared words in a memory segment, little-endian. The segment's base is page-aligned and every
 * offset is naturally aligned, as ordered access demands (see {@code ValueLayout.varHandle}).
 */
public final class SegmentWords implements SharedWords {
  private static final VarHandle LONG =
      ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();
  private static final VarHandle INT =
      ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();

  private final MemorySegment memory;
  private final boolean mayBeCut;

  /** Makes words of a segment whose accesses cannot fail. */
  public SegmentWords(MemorySegment memory) {
    this(memory, false);
  }

  /**
   * Makes words of a segment.
   *
   * @param mayBeCut whether somebody can cut the file behind it short
   */
  SegmentWords(MemorySegment memory, boolean mayBeCut) {
    this.memory = memory;
    this.mayBeCut = mayBeCut;
  }

  @Override
  public long getVolatile(long offset) {
    return (long) LONG.getVolatile(memory, offset);
  }

  @Override
  public void setVolatile(long offset, long value) {
    LONG.setVolatile(memory, offset, value);
  }

  @Override
  public long getAcquire(long offset) {
    return (long) LONG.getAcquire(memory, offset);
  }

  @Override
  public void setRelease(long offset, long value) {
    LONG.setRelease(memory, offset, value);
  }

  @Override
  public boolean compareAndSet(long offset, long expected, long value) {
    return LONG.compareAndSet(memory, offset, expected, value);
  }

  @Override
  public int getIntVolatile(long offset) {
    return (int) INT.getVolatile(memory, offset);
  }

  @Override
  public void setIntVolatile(long offset, int value) {
    INT.setVolatile(memory, offset, value);
  }

  @Override
  public int getAndAddInt(long offset, int delta) {
    return (int) INT.getAndAdd(memory, offset, delta);
  }

  @Override
  public void awaitChange(long offset, int seen, long nanos) {
    // futex(2) compares in the machine's byte order, which is ours: NativeAccess refuses other
    // machines
    Futex.await(memory.asSlice(offset, Integer.BYTES), seen, nanos);
  }

  @Override
  public void wake(long offset) {
    Futex.wake(memory.asSlice(offset, Integer.BYTES));
  }

  @Override
  public void settle() {
    if (mayBeCut) {
      var _ = Runtime.getRuntime().freeMemory(); // a native method, whose return is a safepoint
    }
  }
}
