package dev.holdfast.acceptance.capacity;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.arena.SharedMemoryRingBuffer;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.arena.payload.ElementType;
import dev.holdfast.arena.payload.Tensor;
import dev.holdfast.loader.Lease;
import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.SubprocessOptions;
import dev.holdfast.loader.WorkerOutput;
import dev.holdfast.loader.WorkerSource;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Rounds;
import java.io.Serializable;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.net.URL;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.LongBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Byte order, alignment and emptiness of payloads on their way through a worker. */
@SuppressWarnings({"ExposedPrivateType", "ArrayRecordComponent"}) // rows of tables
@ExtendWith(Leftovers.class)
@Timeout(1800)
final class BytesOfPayloadsTest {
  private static final int CAPACITY = 400_009;

  private enum Way {
    POOL,
    RING,
    CHANNEL;

    SubprocessOptions options() {
      SubprocessOptions.Builder options =
          SubprocessOptions.builder()
              .jvmArgs(ChildJvm.SHORT_LIVED)
              .standardError(WorkerOutput.inherit());
      return switch (this) {
        case POOL -> options.arena(arena()).build();
        case RING -> options.arena(arena()).build();
        case CHANNEL -> options.build();
      };
    }

    private SharedMemoryArena arena() {
      return this == POOL
          ? new SharedMemorySegmentPool(CAPACITY, 3)
          : new SharedMemoryRingBuffer(CAPACITY);
    }
  }

  private static final int COUNT = 2_000;

  /** Values whose bits are easily lost. */
  private static double[] doubles() {
    double[] values = new double[COUNT];
    for (int i = 0; i < COUNT; i++) {
      values[i] =
          switch (i % 7) {
            case 0 -> -0.0;
            case 1 -> Double.longBitsToDouble(0x7ff8_0000_0000_0000L + i);
            case 2 -> Double.longBitsToDouble(0xfff4_0000_0000_0001L);
            case 3 -> Double.MIN_VALUE;
            case 4 -> Double.NEGATIVE_INFINITY;
            case 5 -> Double.MAX_VALUE;
            default -> i / 3.0;
          };
    }
    return values;
  }

  private static float[] floats() {
    float[] values = new float[COUNT];
    for (int i = 0; i < COUNT; i++) {
      values[i] = i % 2 == 0 ? Float.intBitsToFloat(0x7fc0_0000 + i) : -0.0f;
    }
    return values;
  }

  private static long[] longs() {
    long[] values = new long[COUNT];
    Arrays.setAll(values, i -> i % 3 == 0 ? Long.MIN_VALUE : 0x0102_0304_0506_0708L * i);
    return values;
  }

  private static char[] chars() {
    char[] values = new char[COUNT];
    for (int i = 0; i < COUNT; i++) {
      values[i] = (char) (65_535 - i);
    }
    return values;
  }

  private static short[] shorts() {
    short[] values = new short[COUNT];
    for (int i = 0; i < COUNT; i++) {
      values[i] = (short) (i * 17);
    }
    return values;
  }

  /** The same content in a buffer of each kind, of one order. */
  private static List<ByteBuffer> buffers(ByteOrder order) {
    List<ByteBuffer> made = new ArrayList<>();
    for (boolean direct : new boolean[] {true, false}) {
      ByteBuffer whole = direct ? ByteBuffer.allocateDirect(6_000) : ByteBuffer.allocate(6_000);
      for (int i = 0; i < whole.capacity(); i++) {
        whole.put(i, (byte) (i * 31));
      }
      whole.position(3).limit(5_003).order(order);
      made.add(whole);
      made.add(whole.asReadOnlyBuffer().order(order));
      made.add(whole.slice().order(order));
      made.add(whole.duplicate().order(order));
    }
    return made;
  }

  private static String state(Buffer buffer) {
    Object order = buffer instanceof ByteBuffer bytes ? bytes.order() : "";
    return buffer.position() + " " + buffer.limit() + " " + buffer.capacity() + " " + order;
  }

  /** Yields buffers, and behind them what became of their state in the worker. */
  private static WorkerSource<Object> ordered() {
    return _ -> {
      List<Object> items = new ArrayList<>();
      items.add(Map.of("d", doubles(), "f", floats(), "l", longs(), "c", chars(), "s", shorts()));
      List<ByteBuffer> sent = new ArrayList<>(buffers(ByteOrder.BIG_ENDIAN));
      sent.addAll(buffers(ByteOrder.LITTLE_ENDIAN));
      items.add(sent);
      List<Buffer> typed = new ArrayList<>();
      for (ByteBuffer buffer : sent) {
        typed.add(buffer.asFloatBuffer().position(1));
        typed.add(buffer.asLongBuffer());
      }
      items.add(typed);
      List<String> before = sent.stream().map(BytesOfPayloadsTest::state).toList();
      return () ->
          new Iterator<>() {
            private int next;

            @Override
            public boolean hasNext() {
              return next <= items.size();
            }

            @Override
            public Object next() {
              return next < items.size()
                  ? items.get(next++)
                  : before.equals(sent.stream().map(BytesOfPayloadsTest::state).toList())
                      + " "
                      + next++;
            }
          };
    };
  }

  // R79
  @ParameterizedTest
  @EnumSource(Way.class)
  void valuesAreBitEqualWhateverTheOrderAndSourcesStayAsTheyWere(Way way) {
    try (SubprocessIterable<Object> items = Subprocess.iterate(ordered(), way.options())) {
      Iterator<Lease<Object>> leases = items.leases().iterator();
      try (Lease<Object> lease = leases.next()) {
        Map<?, ?> arrays = (Map<?, ?>) lease.item();
        assertArrayEquals(bits(doubles()), bits((double[]) arrays.get("d")));
        assertArrayEquals(bits(floats()), bits((float[]) arrays.get("f")));
        assertArrayEquals(longs(), (long[]) arrays.get("l"));
        assertArrayEquals(chars(), (char[]) arrays.get("c"));
        assertArrayEquals(shorts(), (short[]) arrays.get("s"));
      }
      List<ByteBuffer> right = new ArrayList<>(buffers(ByteOrder.BIG_ENDIAN));
      right.addAll(buffers(ByteOrder.LITTLE_ENDIAN));
      try (Lease<Object> lease = leases.next()) {
        List<?> arrived = (List<?>) lease.item();
        for (int i = 0; i < right.size(); i++) {
          assertSame(right.get(i), (ByteBuffer) arrived.get(i));
        }
      }
      try (Lease<Object> lease = leases.next()) {
        List<?> arrived = (List<?>) lease.item();
        for (int i = 0; i < right.size(); i++) {
          FloatBuffer floats = right.get(i).asFloatBuffer().position(1);
          assertEquals(-1, floats.mismatch((FloatBuffer) arrived.get(2 * i)));
          assertEquals(right.get(i).asLongBuffer(), (LongBuffer) arrived.get(2 * i + 1));
        }
      }
      try (Lease<Object> lease = leases.next()) {
        assertEquals("true 3", lease.item());
      }
      assertFalse(leases.hasNext());
    }
  }

  private static void assertSame(ByteBuffer right, ByteBuffer arrived) {
    assertEquals(0, arrived.position());
    assertEquals(right.remaining(), arrived.remaining());
    assertEquals(right.order(), arrived.order());
    assertEquals(-1, right.mismatch(arrived));
    assertEquals(right.getDouble(right.position() + 8), arrived.getDouble(8));
    assertEquals(right.getShort(right.position() + 1), arrived.getShort(1));
    assertEquals(right.getLong(right.position() + 100), arrived.getLong(100));
  }

  private static long[] bits(double[] values) {
    return Arrays.stream(values).mapToLong(Double::doubleToRawLongBits).toArray();
  }

  private static int[] bits(float[] values) {
    int[] bits = new int[values.length];
    Arrays.setAll(bits, i -> Float.floatToRawIntBits(values[i]));
    return bits;
  }

  private static final int[] ODD_SIZES = {4_097, 4_104, 5_003, 8_016, 4_098};

  /** All orders of the sizes. */
  private static List<int[]> orders() {
    List<int[]> orders = new ArrayList<>();
    permute(ODD_SIZES.clone(), 0, orders);
    return orders;
  }

  private static void permute(int[] sizes, int from, List<int[]> orders) {
    if (from == sizes.length) {
      orders.add(sizes.clone());
    }
    for (int i = from; i < sizes.length; i++) {
      swap(sizes, from, i);
      permute(sizes, from + 1, orders);
      swap(sizes, from, i);
    }
  }

  private static void swap(int[] sizes, int one, int other) {
    int kept = sizes[one];
    sizes[one] = sizes[other];
    sizes[other] = kept;
  }

  // R80
  @ParameterizedTest
  @EnumSource(names = {"POOL", "RING"})
  void everyBinaryIsAlignedForEveryAccessWhateverLiesBeforeIt(Way way) {
    VarHandle aligned = ValueLayout.JAVA_LONG.varHandle();
    WorkerSource<List<MemorySegment>> source =
        _ ->
            () ->
                orders().stream()
                    .map(
                        sizes ->
                            Arrays.stream(sizes)
                                .mapToObj(
                                    size -> MemorySegment.ofArray(new byte[size]).fill((byte) size))
                                .toList())
                    .iterator();
    try (SubprocessIterable<List<MemorySegment>> items =
        Subprocess.iterate(source, way.options())) {
      int order = 0;
      for (Lease<List<MemorySegment>> lease : items.leases()) {
        try (lease) {
          int[] sizes = orders().get(order++);
          for (int i = 0; i < sizes.length; i++) {
            MemorySegment view = lease.item().get(i);
            assertEquals(sizes[i], view.byteSize());
            assertEquals(0, view.address() % 64);
            long word = (sizes[i] & 0xffL) * 0x0101_0101_0101_0101L;
            assertEquals(word, (long) aligned.getVolatile(view, 8L));
            assertEquals(word, view.get(ValueLayout.JAVA_LONG, view.byteSize() / 8 * 8 - 8));
          }
        }
      }
      assertEquals(orders().size(), order);
    }
  }

  // R80
  @Test
  void numbersOfAUnitAreReadByVectorsWhereTheyLie() throws Exception {
    URL source = BytesOfPayloadsTest.class.getResource("VectorReading.java");
    int units = 2_000; // enough for the compiler that knows vectors
    try (ChildJvm child =
        ChildJvm.ofSource(Path.of(source.toURI()))
            .optimizing()
            .jvmArgs("--add-modules", "jdk.incubator.vector", "-Xmx128m")
            .args(String.valueOf(units))
            .start()) {
      child.awaitSuccess();
      assertTrue(child.output().contains("READ units=" + units + " lanes="), child::output);
    }
  }

  private record Empty(
      byte[] bytes,
      float[] floats,
      Object buffer,
      Tensor one,
      Tensor two,
      Tensor three,
      Tensor scalar)
      implements Serializable {
    static Empty make() {
      return new Empty(
          new byte[0],
          new float[0],
          ByteBuffer.allocateDirect(8).position(8).order(ByteOrder.LITTLE_ENDIAN),
          Tensor.allocate(ElementType.FLOAT32, 0),
          Tensor.allocate(ElementType.UINT8, 1, 0),
          Tensor.allocate(ElementType.INT64, 0, 100),
          Tensor.of(new double[] {2.5}));
    }
  }

  /** What a source yields again and again, with other bytes each time. */
  private static Map<String, Object> refilled(byte[] bytes, ByteBuffer direct, int unit) {
    Arrays.fill(bytes, (byte) unit);
    for (int i = 0; i < direct.capacity(); i++) {
      direct.put(i, (byte) (unit + 1));
    }
    return Map.of("unit", unit, "bytes", bytes, "direct", direct);
  }

  // R15
  @ParameterizedTest
  @EnumSource(Way.class)
  void aSourceMayFillTheSameMemoryForEachOfItsItems(Way way) {
    WorkerSource<Map<String, Object>> source =
        _ -> {
          byte[] bytes = new byte[20_000];
          ByteBuffer direct = ByteBuffer.allocateDirect(30_000);
          return () ->
              IntStream.range(0, 100).mapToObj(unit -> refilled(bytes, direct, unit)).iterator();
        };
    try (SubprocessIterable<Map<String, Object>> items =
        Subprocess.iterate(source, way.options())) {
      List<Lease<Map<String, Object>>> held = new ArrayList<>();
      for (Lease<Map<String, Object>> lease : items.leases()) {
        held.add(lease);
        held.forEach(BytesOfPayloadsTest::assertRefilled);
        if (held.size() == 3) {
          held.removeFirst().close();
        }
      }
      assertEquals(2, held.size());
      held.forEach(Lease::close);
    }
  }

  private static void assertRefilled(Lease<Map<String, Object>> lease) {
    int unit = (Integer) lease.item().get("unit");
    for (byte element : (byte[]) lease.item().get("bytes")) {
      assertEquals((byte) unit, element);
    }
    ByteBuffer direct = (ByteBuffer) lease.item().get("direct");
    assertEquals(30_000, direct.remaining());
    for (int i = 0; i < direct.limit(); i++) {
      assertEquals((byte) (unit + 1), direct.get(i));
    }
  }

  // R82
  @ParameterizedTest
  @EnumSource(Way.class)
  void emptyPayloadsKeepTypeShapeAndLengthAndHoldNothing(Way way) {
    int units = Rounds.of(100_000);
    WorkerSource<Object> source =
        Sizes.counting(
            units,
            unit ->
                switch (unit % 4) {
                  case 0 -> Empty.make();
                  case 1 -> unit;
                  case 2 -> MemorySegment.ofArray(new byte[0]);
                  default -> new byte[unit % 100 == 3 ? 6_000 : 0];
                });
    try (SubprocessIterable<Object> items = Subprocess.iterate(source, way.options())) {
      int unit = 0;
      for (Object item : items) {
        assertEmpty(item, unit++);
      }
      assertEquals(units, unit);
      items.arena().ifPresent(arena -> assertTrue(arena.stats().published() <= units));
    }
  }

  private static void assertEmpty(Object item, int unit) {
    switch (unit % 4) {
      case 0 -> {
        Empty empty = (Empty) item;
        assertEquals(0, empty.bytes().length + empty.floats().length);
        ByteBuffer buffer = (ByteBuffer) empty.buffer();
        assertEquals(0, buffer.remaining());
        assertEquals(ByteOrder.LITTLE_ENDIAN, buffer.order());
        assertTrue(empty.one().contentEquals(Tensor.allocate(ElementType.FLOAT32, 0)));
        assertTrue(empty.two().contentEquals(Tensor.allocate(ElementType.UINT8, 1, 0)));
        assertTrue(empty.three().contentEquals(Tensor.allocate(ElementType.INT64, 0, 100)));
        assertTrue(empty.scalar().contentEquals(Tensor.of(new double[] {2.5})));
      }
      case 1 -> assertEquals(unit, item);
      case 2 -> assertEquals(0, ((MemorySegment) item).byteSize());
      default -> assertEquals(unit % 100 == 3 ? 6_000 : 0, ((byte[]) item).length);
    }
  }
}
