package dev.holdfast.arena.payload;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.UnitTooLargeException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TensorTest {

  // R82
  @Test
  void emptyAndScalarShapesAreLegal() {
    assertEquals(0, Tensor.of(new float[0], 0).elementCount());
    assertEquals(0, Tensor.of(new float[0], 1, 0).byteSize());
    assertEquals(0, Tensor.of(new float[0], 0, 100).elementCount());
    assertArrayEquals(new long[] {0, 100}, Tensor.of(new float[0], 0, 100).shape());
    Tensor scalar = Tensor.of(new float[] {7});
    assertEquals(1, scalar.elementCount());
    assertEquals(7, scalar.get());
    assertArrayEquals(new long[0], scalar.shape());
    assertEquals(0, Tensor.of(new float[0], 0, 100).slice(0, 0).elementCount());
    assertEquals(0, Tensor.of(new float[0], 3, 0).at(2).elementCount());
  }

  @Test
  void absurdShapesAreRefused() {
    assertThrows(IllegalArgumentException.class, () -> Tensor.of(new float[1], -1));
    assertThrows(IllegalArgumentException.class, () -> Tensor.of(new float[1], 1L << 62, 4));
    assertThrows(IllegalArgumentException.class, () -> Tensor.of(new float[1], 1L << 32, 1L << 32));
    assertThrows(IllegalArgumentException.class, () -> Tensor.of(new float[3], 2));
    assertThrows(IllegalArgumentException.class, () -> Tensor.of(new double[1], 1L << 61));
    assertEquals(0, Tensor.of(new float[0], Long.MAX_VALUE, 0).byteSize());
  }

  @Test
  void slicesRowsAndReshapedTensorsShareTheMemory() {
    float[] values = {0, 1, 2, 3, 4, 5};
    Tensor tensor = Tensor.of(values, 3, 2);
    Tensor rows = tensor.slice(1, 3);
    values[4] = 40;
    assertArrayEquals(new float[] {2, 3, 40, 5}, rows.toFloatArray());
    assertArrayEquals(new long[] {2, 2}, rows.shape());
    assertArrayEquals(new float[] {40, 5}, tensor.at(2).toFloatArray());
    assertArrayEquals(new long[] {2}, tensor.at(2).shape());
    assertEquals(3, tensor.reshape(2, 3).get(1, 0));
    assertEquals(40, tensor.reshape(6).get(4));
    assertThrows(IllegalArgumentException.class, () -> tensor.reshape(4));
    assertThrows(IndexOutOfBoundsException.class, () -> tensor.slice(1, 4));
    assertThrows(IndexOutOfBoundsException.class, () -> tensor.slice(2, 1));
    assertThrows(IndexOutOfBoundsException.class, () -> tensor.get(0, 2));
    assertThrows(IllegalArgumentException.class, () -> tensor.get(0));
    assertThrows(IllegalStateException.class, () -> Tensor.of(new int[1]).slice(0, 1));
  }

  @Test
  void stridedTensorsAreFlattenedInLogicalOrder() {
    Random random = new Random(5);
    for (int round = 0; round < 300; round++) {
      int rank = random.nextInt(4);
      long[] shape = new long[rank];
      long[] strides = new long[rank];
      long first = 500;
      for (int d = 0; d < rank; d++) {
        shape[d] = random.nextInt(5);
        strides[d] = random.nextInt(3) == 0 ? 1 : random.nextInt(41) - 20;
      }
      int[] base = new int[1000];
      Arrays.setAll(base, i -> i * 7);
      Tensor strided =
          Tensor.strided(ElementType.INT32, MemorySegment.ofArray(base), first, shape, strides);
      int[] expected = naive(base, first, shape, strides);
      assertArrayEquals(expected, strided.toIntArray(), strided.toString());
      assertArrayEquals(expected, strided.copy().toIntArray());
      assertFalse(strided.isContiguous());
      if (rank > 0 && shape[0] > 1) {
        assertTrue(
            strided
                .slice(1, shape[0])
                .contentEquals(Tensor.of(expected, shape).slice(1, shape[0])));
        assertTrue(strided.at(1).contentEquals(Tensor.of(expected, shape).at(1)));
      }
    }
  }

  @Test
  void elementsOfEachSizeAreFlattened() {
    for (ElementType type : ElementType.values()) {
      int size = type.byteSize();
      byte[] bytes = new byte[6 * size];
      byte[] expected = new byte[bytes.length];
      for (int i = 0; i < bytes.length; i++) {
        bytes[i] = (byte) i;
        int element = i / size;
        expected[(element % 3 * 2 + element / 3) * size + i % size] = (byte) i;
      }
      long[] shape = {3, 2};
      long[] strides = {1, 3};
      Tensor transposed = Tensor.strided(type, MemorySegment.ofArray(bytes), 0, shape, strides);
      assertArrayEquals(expected, transposed.toByteArray(), type.name());
    }
  }

  private static int[] naive(int[] base, long first, long[] shape, long[] strides) {
    int count = (int) Shapes.elementCount(shape);
    int[] flat = new int[count];
    for (int i = 0; i < count; i++) {
      long rest = i;
      long source = first;
      for (int d = shape.length - 1; d >= 0; d--) {
        source += rest % shape[d] * strides[d];
        rest /= shape[d];
      }
      flat[i] = base[(int) source];
    }
    return flat;
  }

  @Test
  void stridedTensorsStayInsideTheirMemory() {
    MemorySegment base = MemorySegment.ofArray(new float[10]);
    long[] shape = {2, 5};
    Tensor.strided(ElementType.FLOAT32, base, 0, shape, new long[] {5, 1});
    assertThrows(
        IndexOutOfBoundsException.class,
        () -> Tensor.strided(ElementType.FLOAT32, base, 1, shape, new long[] {5, 1}));
    assertThrows(
        IndexOutOfBoundsException.class,
        () -> Tensor.strided(ElementType.FLOAT32, base, 3, shape, new long[] {5, -1}));
    assertThrows(
        IndexOutOfBoundsException.class,
        () -> Tensor.strided(ElementType.FLOAT32, base, 0, shape, new long[] {Long.MAX_VALUE, 4}));
    assertThrows(
        IllegalArgumentException.class,
        () -> Tensor.strided(ElementType.FLOAT32, base, 0, shape, new long[] {5}));
  }

  @Test
  void elementsOfEachTypeAreReadAsNumbers() {
    assertEquals(-1, Tensor.of(new byte[] {-1}).get());
    assertEquals(255, Tensor.ofUnsigned(new byte[] {-1}).get());
    assertEquals(-2, Tensor.of(new short[] {-2}).get());
    assertEquals(-3, Tensor.of(new int[] {-3}).get());
    assertEquals(-4, Tensor.of(new long[] {-4}).get());
    assertEquals(0.5, Tensor.of(new float[] {0.5f}).get());
    assertEquals(Math.PI, Tensor.of(new double[] {Math.PI}).get());
    MemorySegment half = MemorySegment.ofArray(new short[] {Float.floatToFloat16(1.5f)});
    assertEquals(1.5, Tensor.of(ElementType.FLOAT16, half).get());
    short upper = (short) (Float.floatToRawIntBits(-2f) >>> 16);
    assertEquals(
        -2, Tensor.of(ElementType.BFLOAT16, MemorySegment.ofArray(new short[] {upper})).get());
    assertEquals(
        65535, Tensor.of(ElementType.UINT16, MemorySegment.ofArray(new short[] {-1})).get());
    assertEquals(1, Tensor.of(ElementType.BOOL, MemorySegment.ofArray(new byte[] {9})).get());
  }

  @Test
  void everyElementTypeCanBeAllocatedAndCopied() {
    for (ElementType type : ElementType.values()) {
      Tensor zeros = Tensor.allocate(type, 2, 3);
      assertEquals(6L * type.byteSize(), zeros.byteSize());
      zeros.segment().fill((byte) 3);
      Tensor copy = zeros.copy();
      assertTrue(copy.contentEquals(zeros));
      copy.segment().fill((byte) 0);
      assertFalse(copy.contentEquals(zeros));
      assertEquals(6 * type.byteSize(), zeros.toByteArray().length);
    }
  }

  @Test
  void contentIsComparedByBitsAndObjectsByIdentity() {
    Tensor nan = Tensor.of(new float[] {Float.NaN}, 1);
    assertTrue(nan.contentEquals(Tensor.of(new float[] {Float.NaN}, 1)));
    assertFalse(Tensor.of(new float[] {0f}, 1).contentEquals(Tensor.of(new float[] {-0f}, 1)));
    assertFalse(nan.contentEquals(Tensor.of(new float[] {Float.NaN}, 1, 1)));
    assertFalse(Tensor.of(new int[1], 1).contentEquals(Tensor.of(new float[1], 1)));
    assertNotEquals(nan, Tensor.of(new float[] {Float.NaN}, 1));
  }

  @Test
  void arraysAreGivenForTheirOwnTypeOnly() {
    Tensor floats = Tensor.of(new float[] {1}, 1);
    assertThrows(IllegalStateException.class, floats::toIntArray);
    assertThrows(IllegalStateException.class, floats::toDoubleArray);
    assertEquals(258, Tensor.of(new byte[] {2, 1}, 2).asByteBuffer().getShort(0));
    Tensor shorts = Tensor.of(new short[] {1, 2}, 2);
    assertArrayEquals(new short[] {1, 2}, shorts.toShortArray());
    assertArrayEquals(new long[] {5}, Tensor.of(new long[] {5}, 1).toLongArray());
    assertArrayEquals(new double[] {5}, Tensor.of(new double[] {5}, 1).toDoubleArray());
  }

  // R76
  @Test
  void moreElementsThanAnArrayCanHoldAreATypedError() {
    Tensor huge =
        Tensor.strided(
            ElementType.INT8,
            MemorySegment.ofArray(new byte[1]),
            0,
            new long[] {3, 1L << 30},
            new long[] {0, 0});
    UnitTooLargeException e = assertThrows(UnitTooLargeException.class, () -> huge.toByteArray());
    assertEquals(3L << 30, e.facts().get("elements"));
  }

  // R80
  @Test
  void elementsNeedNoAlignment() {
    MemorySegment odd = MemorySegment.ofArray(new byte[13]).asSlice(1, 12);
    odd.set(ValueLayout.JAVA_FLOAT_UNALIGNED, 4, 2.5f);
    Tensor tensor = Tensor.of(ElementType.FLOAT32, odd, 3);
    assertEquals(2.5, tensor.get(1));
    assertArrayEquals(new float[] {0, 2.5f, 0}, tensor.toFloatArray());
  }
}
