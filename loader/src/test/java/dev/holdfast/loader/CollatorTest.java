package dev.holdfast.loader;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.payload.ElementType;
import dev.holdfast.arena.payload.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

final class CollatorTest {

  /** Gives memory full of ones, as an earlier item may have left it. */
  private static final class Used implements WorkerContext {
    @Override
    public int index() {
      return 0;
    }

    @Override
    public int count() {
      return 1;
    }

    @Override
    public long seed() {
      return 0;
    }

    @Override
    public boolean stopRequested() {
      return false;
    }

    @Override
    public MemorySegment allocate(long byteSize) {
      return Arena.ofAuto().allocate(byteSize, 64).fill((byte) -1);
    }
  }

  private final WorkerContext context = new Used();

  @Test
  void samplesLieOneBehindTheOtherAndAFailedOneIsWrittenOver() {
    Collator batch = Collator.stack(context, 3, ElementType.INT32, 2);
    batch.slot().segment().setAtIndex(ValueLayout.JAVA_INT, 0, 10);
    batch.slot().segment().setAtIndex(ValueLayout.JAVA_INT, 1, 11);
    batch.keep();
    batch.slot().segment().setAtIndex(ValueLayout.JAVA_INT, 0, 99); // fails half-way
    batch.add(Tensor.of(new int[] {20, 21}, 2));
    assertEquals(2, batch.size());
    assertFalse(batch.isFull());
    assertArrayEquals(new long[] {2, 2}, batch.batch().shape());
    assertArrayEquals(new int[] {10, 11, 20, 21}, batch.batch().toIntArray());
    batch.add(Tensor.of(new int[] {30, 31}, 2));
    assertTrue(batch.isFull());
    assertEquals(3, batch.capacity());
    assertArrayEquals(new int[] {10, 11, 20, 21, 30, 31}, batch.batch().toIntArray());
    assertThrows(IllegalStateException.class, batch::slot);
    assertThrows(IllegalStateException.class, batch::keep);
    assertThrows(IllegalStateException.class, () -> batch.add(Tensor.of(new int[] {40, 41}, 2)));
  }

  @Test
  void batchIsNoCopy() {
    Collator batch = Collator.stack(context, 2, ElementType.FLOAT64, 5);
    MemorySegment slot = batch.slot().segment();
    batch.keep();
    assertEquals(slot.address(), batch.batch().segment().address());
    slot.setAtIndex(ValueLayout.JAVA_DOUBLE, 4, 2.5);
    assertEquals(2.5, batch.batch().get(0, 4));
  }

  @Test
  void scalarsAndEmptySamplesStack() {
    Collator scalars = Collator.stack(context, 4, ElementType.INT64);
    scalars.add(Tensor.of(new long[] {7}));
    scalars.add(Tensor.of(new long[] {8}));
    assertArrayEquals(new long[] {2}, scalars.batch().shape());
    assertArrayEquals(new long[] {7, 8}, scalars.batch().toLongArray());
    Collator empty = Collator.stack(context, 2, ElementType.INT8, 3, 0);
    empty.keep();
    assertArrayEquals(new long[] {1, 3, 0}, empty.batch().shape());
    assertArrayEquals(
        new long[] {0, 5}, Collator.stack(context, 2, ElementType.INT8, 5).batch().shape());
  }

  @Test
  void whatDoesNotFitIsRefused() {
    assertThrows(
        IllegalArgumentException.class, () -> Collator.stack(context, 0, ElementType.INT8, 1));
    assertThrows(
        IllegalArgumentException.class, () -> Collator.stack(context, 2, ElementType.INT8, -1));
    assertThrows(
        IllegalArgumentException.class,
        () -> Collator.stack(context, 2, ElementType.INT64, Long.MAX_VALUE / 2));
    Collator batch = Collator.stack(context, 2, ElementType.INT32, 2);
    assertThrows(IllegalArgumentException.class, () -> batch.add(Tensor.of(new float[] {1, 2}, 2)));
    assertThrows(
        IllegalArgumentException.class, () -> batch.add(Tensor.of(new int[] {1, 2}, 1, 2)));
    assertEquals(0, batch.size());
  }
}
