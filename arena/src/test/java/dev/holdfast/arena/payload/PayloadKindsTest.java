package dev.holdfast.arena.payload;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.ArenaWriter;
import dev.holdfast.arena.OpenUnit;
import dev.holdfast.arena.Placement;
import dev.holdfast.arena.UnitTooLargeException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Array;
import java.lang.reflect.Proxy;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ReadOnlyBufferException;
import java.nio.ShortBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource(Envelopes.class)
class PayloadKindsTest {
  private static final int[] BYTE_SIZES = {0, 8, 1000, 4088, 4095, 4096, 4097, 4104, 20_000};
  private static final List<ByteOrder> ORDERS =
      List.of(ByteOrder.LITTLE_ENDIAN, ByteOrder.BIG_ENDIAN);

  /** How an item travels: with an arena, as views or as heap copies, or without one. */
  private enum Way {
    VIEWS,
    HEAP_COPIES,
    NO_ARENA
  }

  private final ItemCodec codec;

  PayloadKindsTest(Envelopes envelopes) {
    this.codec = envelopes.items();
  }

  private record Arrived(Object value, int written, int views, int peeks) {}

  private Arrived send(Object item, Way way) throws Exception {
    ItemCodec.Encoder encoder = codec.newEncoder();
    ItemCodec.Decoder decoder = codec.newDecoder(null, Channels.loader());
    FakeUnit unit = new FakeUnit(64 << 10);
    FakeUnit target = way == Way.NO_ARENA ? null : unit;
    EncodedItem encoded = encoder.encode(item, target);
    assertEquals(unit.written, encoded.binaries());
    Envelope envelope = decoder.register(encoded.bytes());
    assertEquals(encoded.binaries(), envelope.binaries());
    assertEquals(encoded.binaryBytes(), envelope.binaryBytes());
    RestoreMode mode = way == Way.HEAP_COPIES ? RestoreMode.HEAP_COPIES : RestoreMode.VIEWS;
    Object value = decoder.restore(envelope, target, mode);
    return new Arrived(value, unit.written, unit.views, unit.peeks);
  }

  private static void fill(MemorySegment bytes, long seed) {
    Random random = new Random(seed);
    for (long i = 0; i < bytes.byteSize(); i++) {
      bytes.set(ValueLayout.JAVA_BYTE, i, (byte) random.nextInt());
    }
  }

  private static boolean large(long byteSize) {
    return byteSize >= ItemCodec.OFFLOAD_THRESHOLD_BYTES;
  }

  // B68, R14, R15, R79, R82
  @Test
  void arraysOfEachTypeArriveAsPrivateArrays() throws Exception {
    for (Class<?> component :
        List.of(
            byte.class,
            short.class,
            char.class,
            int.class,
            long.class,
            float.class,
            double.class)) {
      int elementBytes = elementBytes(component);
      for (int byteSize : BYTE_SIZES) {
        Object source = Array.newInstance(component, byteSize / elementBytes);
        MemorySegment sourceBytes = heapSegment(source);
        fill(sourceBytes, byteSize);
        boolean offloaded = large(sourceBytes.byteSize());
        for (Way way : Way.values()) {
          Arrived arrived = send(source, way);
          assertSame(source.getClass(), arrived.value().getClass());
          assertNotSame(source, arrived.value());
          assertEquals(-1, sourceBytes.mismatch(heapSegment(arrived.value())));
          assertEquals(sourceBytes.byteSize(), heapSegment(arrived.value()).byteSize());
          assertEquals(offloaded && way != Way.NO_ARENA ? 1 : 0, arrived.written());
          assertEquals(0, arrived.views());
          assertEquals(arrived.written(), arrived.peeks());
        }
      }
    }
  }

  private static int elementBytes(Class<?> component) {
    return (int) heapSegment(Array.newInstance(component, 1)).byteSize();
  }

  private static MemorySegment heapSegment(Object array) {
    return switch (array) {
      case byte[] a -> MemorySegment.ofArray(a);
      case short[] a -> MemorySegment.ofArray(a);
      case char[] a -> MemorySegment.ofArray(a);
      case int[] a -> MemorySegment.ofArray(a);
      case long[] a -> MemorySegment.ofArray(a);
      case float[] a -> MemorySegment.ofArray(a);
      case double[] a -> MemorySegment.ofArray(a);
      default -> throw new IllegalArgumentException(array.getClass().getName());
    };
  }

  private static Buffer bufferOf(Object array, int offset, int length) {
    return switch (array) {
      case byte[] a -> ByteBuffer.wrap(a, offset, length);
      case short[] a -> ShortBuffer.wrap(a, offset, length);
      case char[] a -> CharBuffer.wrap(a, offset, length);
      case int[] a -> IntBuffer.wrap(a, offset, length);
      case long[] a -> LongBuffer.wrap(a, offset, length);
      case float[] a -> FloatBuffer.wrap(a, offset, length);
      case double[] a -> DoubleBuffer.wrap(a, offset, length);
      default -> throw new IllegalArgumentException(array.getClass().getName());
    };
  }

  @Test
  void arraysOfTruthValuesArriveEqual() throws Exception {
    for (int length : BYTE_SIZES) {
      boolean[] source = new boolean[length];
      for (int i = 0; i < length; i++) {
        source[i] = i % 3 == 0;
      }
      for (Way way : Way.values()) {
        assertArrayEquals(source, (boolean[]) send(source, way).value());
      }
    }
  }

  // R14, R16, R79
  @Test
  void byteBuffersOfEachSortArriveEqualAndReadOnly() throws Exception {
    for (int size : BYTE_SIZES) {
      for (ByteOrder order : ORDERS) {
        for (ByteBuffer source : byteBuffers(size, order)) {
          for (Way way : Way.values()) {
            check(source, send(source, way), way);
          }
        }
      }
    }
  }

  private static List<ByteBuffer> byteBuffers(int size, ByteOrder order) {
    ByteBuffer heap = ByteBuffer.allocate(size + 64);
    ByteBuffer direct = ByteBuffer.allocateDirect(size + 64);
    fill(MemorySegment.ofBuffer(heap), size);
    fill(MemorySegment.ofBuffer(direct), size + 1);
    List<ByteBuffer> all = new ArrayList<>();
    for (ByteBuffer whole : List.of(heap, direct)) {
      all.add(whole.duplicate().position(10).limit(10 + size).order(order));
      all.add(whole.slice(3, size + 20).position(5).limit(5 + size).order(order));
      all.add(whole.asReadOnlyBuffer().position(64).limit(64 + size).order(order));
    }
    MemorySegment memory = Arena.ofAuto().allocate(size + 8);
    all.add(memory.asSlice(8, size).asByteBuffer().order(order));
    return all;
  }

  private static void check(ByteBuffer source, Arrived arrived, Way way) {
    ByteBuffer restored = assertInstanceOf(ByteBuffer.class, arrived.value());
    assertEquals(source, restored);
    assertEquals(source.order(), restored.order());
    assertEquals(0, restored.position());
    assertEquals(source.remaining(), restored.limit());
    assertTrue(restored.isReadOnly());
    assertThrows(ReadOnlyBufferException.class, () -> restored.put((byte) 0));
    boolean offloaded = large(source.remaining()) && way != Way.NO_ARENA;
    assertEquals(offloaded ? 1 : 0, arrived.written());
    assertEquals(offloaded && way == Way.VIEWS ? 1 : 0, arrived.views());
    assertEquals(offloaded && way == Way.VIEWS, restored.isDirect());
  }

  // R16, R79
  @Test
  void sendingABufferChangesNothingOfIt() throws Exception {
    for (ByteOrder order : ORDERS) {
      ByteBuffer source = ByteBuffer.allocate(64 << 10).order(order).position(10).limit(20).mark();
      source.position(12);
      Object restored = send(source, Way.VIEWS).value();
      assertEquals(8, ((ByteBuffer) restored).remaining());
      assertEquals(12, source.position());
      assertEquals(20, source.limit());
      assertSame(order, source.order());
      assertEquals(10, source.reset().position());
    }
  }

  // R79
  @Test
  void typedBuffersOfEachSortArriveEqualAndReadOnly() throws Exception {
    for (int byteSize : BYTE_SIZES) {
      for (Buffer source : typedBuffers(byteSize)) {
        for (Way way : Way.values()) {
          Arrived arrived = send(source, way);
          Buffer restored = assertInstanceOf(Buffer.class, arrived.value());
          assertEquals(source, restored);
          assertEquals(orderOf(source), orderOf(restored), source + " " + way);
          assertEquals(0, restored.position());
          assertEquals(source.remaining(), restored.limit());
          assertTrue(restored.isReadOnly());
          assertEquals(
              -1, MemorySegment.ofBuffer(source).mismatch(MemorySegment.ofBuffer(restored)));
          assertEquals(
              arrived.written() == 1 && way == Way.VIEWS, restored.isDirect(), way.toString());
        }
      }
    }
  }

  private static List<Buffer> typedBuffers(int byteSize) {
    List<Buffer> all = new ArrayList<>();
    for (ByteOrder order : ORDERS) {
      for (ByteBuffer bytes : byteBuffers(byteSize, order)) {
        ByteBuffer slice = bytes.slice().order(order);
        all.add(slice.asShortBuffer());
        all.add(slice.asCharBuffer());
        all.add(slice.asIntBuffer());
        all.add(slice.asLongBuffer());
        all.add(slice.asFloatBuffer());
        all.add(slice.asDoubleBuffer());
      }
    }
    for (Class<?> component :
        List.of(short.class, char.class, int.class, long.class, float.class, double.class)) {
      int length = byteSize / elementBytes(component);
      Object array = Array.newInstance(component, length + 3);
      fill(heapSegment(array), byteSize);
      all.add(bufferOf(array, 2, length));
    }
    return all;
  }

  private static ByteOrder orderOf(Buffer buffer) {
    return switch (buffer) {
      case ByteBuffer b -> b.order();
      case ShortBuffer b -> b.order();
      case CharBuffer b -> b.order();
      case IntBuffer b -> b.order();
      case LongBuffer b -> b.order();
      case FloatBuffer b -> b.order();
      case DoubleBuffer b -> b.order();
    };
  }

  @Test
  void heapCopiesOfTypedBuffersLieOnArraysOfTheirElements() throws Exception {
    FloatBuffer source = FloatBuffer.allocate(5000);
    ItemCodec.Encoder encoder = codec.newEncoder();
    ItemCodec.Decoder decoder = codec.newDecoder(null, Channels.loader(), true);
    try (FakeUnit unit = new FakeUnit(1 << 20)) {
      Envelope envelope = decoder.register(encoder.encode(source, unit).bytes());
      Object restored = decoder.restore(envelope, unit, RestoreMode.HEAP_COPIES);
      assertEquals(5000, assertInstanceOf(FloatBuffer.class, restored).array().length);
    }
  }

  @Test
  void aBufferOverTextArrivesToo() throws Exception {
    CharBuffer source = CharBuffer.wrap("x".repeat(3000) + "yz", 1, 3001);
    for (Way way : Way.values()) {
      assertEquals(source, send(source, way).value());
    }
  }

  @Test
  void notANumberKeepsItsBits() throws Exception {
    float[] source = {Float.intBitsToFloat(0x7fa00001), -0f, Float.MIN_VALUE, Float.MAX_VALUE};
    Object restored = send(source, Way.VIEWS).value();
    assertEquals(
        -1, MemorySegment.ofArray(source).mismatch(MemorySegment.ofArray((float[]) restored)));
  }

  // R14, R16
  @Test
  void segmentsArriveEqualAndReadOnly() throws Exception {
    for (int size : BYTE_SIZES) {
      MemorySegment memory = Arena.ofAuto().allocate(size + 8).asSlice(8);
      fill(memory, size);
      MemorySegment heap = MemorySegment.ofArray(new byte[size]);
      heap.copyFrom(memory);
      for (MemorySegment source : List.of(memory, heap, memory.asReadOnly())) {
        for (Way way : Way.values()) {
          Arrived arrived = send(source, way);
          MemorySegment restored = assertInstanceOf(MemorySegment.class, arrived.value());
          assertEquals(-1, source.mismatch(restored));
          assertEquals(size, restored.byteSize());
          assertTrue(restored.isReadOnly());
          assertEquals(large(size) && way != Way.NO_ARENA, restored.isNative());
          if (size >= Long.BYTES) {
            restored.get(ValueLayout.JAVA_LONG, 0);
            assertThrows(
                IllegalArgumentException.class,
                () -> restored.set(ValueLayout.JAVA_BYTE, 0, (byte) 1));
          }
        }
      }
    }
  }

  // R82, R14, R80
  @Test
  void tensorsOfEachTypeAndShapeArriveEqualAndReadOnly() throws Exception {
    long[][] shapes = {{}, {0}, {1, 0}, {0, 100}, {3}, {7, 5}, {2, 3, 4, 5}, {33, 129}, {50, 60}};
    for (ElementType type : ElementType.values()) {
      for (long[] shape : shapes) {
        Tensor source = Tensor.allocate(type, shape);
        fill(source.segment(), shape.length);
        for (Way way : Way.values()) {
          Arrived arrived = send(source, way);
          Tensor restored = assertInstanceOf(Tensor.class, arrived.value());
          assertTrue(source.contentEquals(restored));
          assertArrayEquals(shape, restored.shape());
          assertTrue(restored.segment().isReadOnly());
          boolean offloaded = large(source.byteSize()) && way != Way.NO_ARENA;
          assertEquals(offloaded && way == Way.VIEWS, restored.segment().isNative());
          if (!offloaded || way == Way.HEAP_COPIES) {
            assertEquals(type.byteSize(), restored.segment().maxByteAlignment());
          }
        }
      }
    }
  }

  // R16
  @Test
  void aStridedTensorArrivesInLogicalOrder() throws Exception {
    float[] base = new float[100 * 60];
    for (int i = 0; i < base.length; i++) {
      base[i] = i;
    }
    Tensor transposed =
        Tensor.strided(
            ElementType.FLOAT32,
            MemorySegment.ofArray(base),
            0,
            new long[] {60, 100},
            new long[] {1, 60});
    for (Way way : Way.values()) {
      Tensor restored = (Tensor) send(transposed, way).value();
      assertTrue(restored.isContiguous());
      assertTrue(transposed.contentEquals(restored));
      assertEquals(60 * 7 + 5, restored.get(5, 7));
    }
  }

  // R16
  @Test
  void aSmallPartOfALargeBufferFitsASmallArena() throws Exception {
    ByteBuffer large = ByteBuffer.allocateDirect(64 << 20).position(10).limit(10 + 4096);
    ItemCodec.Encoder encoder = codec.newEncoder();
    try (FakeUnit unit = new FakeUnit(4096)) {
      assertEquals(4096, encoder.encode(large, unit).binaryBytes());
    }
  }

  /** Takes binaries of any size without copying: the memory is never touched. */
  private record Untouched(MemorySegment memory) {
    ArenaWriter writer() {
      return (ArenaWriter)
          Proxy.newProxyInstance(
              Channels.loader(),
              new Class<?>[] {ArenaWriter.class},
              (proxy, method, args) -> new Placement(64, ((MemorySegment) args[0]).byteSize()));
    }

    OpenUnit unit() {
      return (OpenUnit)
          Proxy.newProxyInstance(
              Channels.loader(),
              new Class<?>[] {OpenUnit.class},
              (proxy, method, args) -> memory.asSlice((long) args[0], (long) args[1]));
    }
  }

  // R75, R76
  @Test
  @SuppressWarnings("restricted") // an address that nobody reads
  void moreThanTwoGibibytesCrossAsSegmentOrTensorAndNotInline() throws Exception {
    long size = (3L << 30) + 64;
    MemorySegment large = MemorySegment.ofAddress(1 << 20).reinterpret(size);
    Untouched arena = new Untouched(MemorySegment.ofAddress(1 << 20).reinterpret(size + 64));
    Tensor tensor = Tensor.of(ElementType.INT64, large, 8, size / 64);
    ItemCodec.Encoder encoder = codec.newEncoder();
    ItemCodec.Decoder decoder = codec.newDecoder(null, Channels.loader());
    for (Object item : List.of(large, tensor)) {
      EncodedItem encoded = encoder.encode(item, arena.writer());
      assertEquals(size, encoded.binaryBytes());
      Envelope envelope = decoder.register(encoded.bytes());
      encoder.sent();
      assertFalse(envelope.allowsHeapCopies());
      Object restored = decoder.restore(envelope, arena.unit(), RestoreMode.HEAP_COPIES);
      MemorySegment bytes =
          restored instanceof Tensor copy ? copy.segment() : (MemorySegment) restored;
      assertEquals(size, bytes.byteSize());
      assertEquals(large.address() + 64, bytes.address());
      UnitTooLargeException e =
          assertThrows(UnitTooLargeException.class, () -> encoder.encode(item, null));
      assertTrue((long) e.facts().get("bytesAsked") > size);
    }
    encoder.encode(1, null);
  }

  @Test
  void heapCopiesAreRefusedForBareSegmentsAlone() throws Exception {
    ItemCodec.Encoder encoder = codec.newEncoder();
    ItemCodec.Decoder decoder = codec.newDecoder(null, Channels.loader());
    MemorySegment segment = MemorySegment.ofArray(new byte[5000]);
    try (FakeUnit unit = new FakeUnit(1 << 20)) {
      Envelope bare =
          decoder.register(encoder.encode(List.of(segment, new byte[5000]), unit).bytes());
      encoder.sent();
      assertFalse(bare.allowsHeapCopies());
      List<?> restored = (List<?>) decoder.restore(bare, unit, RestoreMode.HEAP_COPIES);
      assertTrue(((MemorySegment) restored.get(0)).isNative());
      Envelope small =
          decoder.register(
              encoder.encode(List.of(segment.asSlice(0, 100), new byte[5000]), unit).bytes());
      assertTrue(small.allowsHeapCopies());
    }
  }

  // R14
  @Test
  void writableViewsAndCopiesFollowOneRule() throws Exception {
    ItemCodec.Encoder encoder = codec.newEncoder();
    ItemCodec.Decoder decoder = codec.newDecoder(null, Channels.loader(), true);
    List<Object> item =
        List.of(
            ByteBuffer.allocate(10),
            ByteBuffer.allocate(5000),
            FloatBuffer.allocate(10),
            Tensor.of(new float[5], 5),
            Tensor.of(new float[5000], 5000),
            MemorySegment.ofArray(new byte[10]));
    try (FakeUnit unit = new FakeUnit(1 << 20, true)) {
      Envelope envelope = decoder.register(encoder.encode(item, unit).bytes());
      for (Object part : (List<?>) decoder.restore(envelope, unit, RestoreMode.VIEWS)) {
        switch (part) {
          case Buffer buffer -> assertFalse(buffer.isReadOnly());
          case Tensor tensor -> assertFalse(tensor.segment().isReadOnly());
          case MemorySegment segment -> assertFalse(segment.isReadOnly());
          default -> throw new AssertionError(part.getClass());
        }
      }
    }
  }

  // R15
  @Test
  void anItemArrivesAsItWasWhenItWasEncoded() throws Exception {
    ItemCodec.Encoder encoder = codec.newEncoder();
    ItemCodec.Decoder decoder = codec.newDecoder(null, Channels.loader());
    byte[] small = new byte[100];
    ByteBuffer large = ByteBuffer.allocateDirect(8192);
    for (int round = 0; round < 100; round++) {
      try (FakeUnit unit = new FakeUnit(1 << 20)) {
        small[7] = (byte) round;
        large.put(8191, (byte) round);
        byte[] record = Channels.record(encoder, Map.of("s", small, "l", large), unit);
        encoder.sent();
        small[7] = -1;
        large.put(8191, (byte) -1);
        Map<?, ?> restored =
            (Map<?, ?>) decoder.restore(decoder.register(record), unit, RestoreMode.VIEWS);
        assertEquals(round, ((byte[]) restored.get("s"))[7]);
        assertEquals(round, ((ByteBuffer) restored.get("l")).get(8191));
      }
    }
  }
}
