package dev.holdfast.arena.payload;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.payload.Samples.Anything;
import dev.holdfast.arena.payload.Samples.Circle;
import dev.holdfast.arena.payload.Samples.Colour;
import dev.holdfast.arena.payload.Samples.Derived;
import dev.holdfast.arena.payload.Samples.Maker;
import dev.holdfast.arena.payload.Samples.Packet;
import dev.holdfast.arena.payload.Samples.Square;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Rounds;
import java.io.IOException;
import java.io.InputStream;
import java.io.InvalidClassException;
import java.io.ObjectInputFilter;
import java.io.Serializable;
import java.lang.ref.WeakReference;
import java.lang.reflect.Array;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource(Envelopes.class)
class ItemCodecTest {
  private static final RestoreMode VIEWS = RestoreMode.VIEWS;

  private final Envelopes envelopes;
  private final ItemCodec codec;

  ItemCodecTest(Envelopes envelopes) {
    this.envelopes = envelopes;
    this.codec = envelopes.items();
  }

  private Object roundTrip(Object item) throws Exception {
    return Channels.roundTrip(codec, item, RestoreMode.HEAP_COPIES);
  }

  @Test
  void valuesAndCollectionsArriveEqual() throws Exception {
    HashMap<String, Object> wide = new HashMap<>(1000, 0.25f);
    for (int i = 0; i < 3000; i++) {
      wide.put("k" + i, i);
    }
    EnumMap<Colour, Integer> byColour = new EnumMap<>(Map.of(Colour.GREEN, 3));
    List<Object> items =
        Arrays.asList(
            null,
            5,
            "text",
            "",
            "x".repeat(100_000),
            "\u0000\ud83d\ude00",
            List.of(),
            List.of(1, 2L, 3.0, 'c', true, (byte) 1, (short) 2, 4f),
            new ArrayList<>(Arrays.asList(1, null, "x")),
            Map.of("a", 1),
            wide,
            new TreeMap<>(Map.of("b", 2, "a", 1)),
            new LinkedHashMap<>(Map.of("k", List.of(Map.of("deep", Set.of(1, 2))))),
            new ConcurrentHashMap<>(Map.of("a", 1)),
            byColour,
            Colour.RED,
            Colour.GREEN,
            UUID.randomUUID(),
            Instant.now(),
            new BigDecimal("1.5e300"),
            String.class,
            int.class,
            float[].class);
    for (Object item : items) {
      assertEquals(item, roundTrip(item));
    }
    assertEquals(items, roundTrip(items));
    Object[] array = {1, "x", null};
    assertArrayEquals(array, (Object[]) roundTrip(array));
    int[][] nested = {{1, 2}, {}, {3}};
    assertArrayEquals(nested, (int[][]) roundTrip(nested));
    assertEquals(2, ((ArrayDeque<?>) roundTrip(new ArrayDeque<>(List.of(1, 2)))).size());
    Object queue = roundTrip(new PriorityQueue<>(List.of(2, 1)));
    assertEquals(1, ((PriorityQueue<?>) queue).peek());
    IdentityHashMap<Object, Object> identity = new IdentityHashMap<>(5000);
    identity.put("a", 1);
    assertEquals(1, ((Map<?, ?>) roundTrip(identity)).size());
  }

  // B67
  @Test
  void binariesAreFoundAnywhereInAnItem() throws Exception {
    Tensor picture = Tensor.of(new float[6000], 60, 100);
    Derived derived = new Derived();
    derived.id = 9;
    derived.raw = new byte[5000];
    derived.raw[4999] = 1;
    derived.parts = List.of(new Circle(1.5, new float[2000]), new Square(2, picture, Colour.GREEN));
    Map<String, Object> item = Map.of("one", List.of(derived), "two", new Object[] {picture});
    try (FakeUnit unit = new FakeUnit(1 << 20)) {
      ItemCodec.Encoder encoder = codec.newEncoder();
      ItemCodec.Decoder decoder = codec.newDecoder(null, Channels.loader());
      EncodedItem encoded = encoder.encode(item, unit);
      assertEquals(3, encoded.binaries());
      assertEquals(24_000 + 8000 + 5000, encoded.binaryBytes());
      Map<?, ?> restored =
          (Map<?, ?>) decoder.restore(decoder.register(encoded.bytes()), unit, VIEWS);
      Derived copy = (Derived) ((List<?>) restored.get("one")).get(0);
      assertEquals(9, copy.id);
      assertArrayEquals(derived.raw, copy.raw);
      assertEquals(77, copy.derived);
      Square square = assertInstanceOf(Square.class, copy.parts.get(1));
      assertSame(Colour.GREEN, square.colour());
      assertSame(square.picture(), ((Object[]) restored.get("two"))[0]);
      assertEquals(2000, ((Circle) copy.parts.get(0)).outline().length);
    }
  }

  // B72: here the identity of leaves is kept
  @Test
  void theSameBinaryIsWrittenOnceAndArrivesAsOneObject() throws Exception {
    byte[] large = new byte[5000];
    byte[] small = new byte[5];
    List<Object> item = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      item.add(large);
      item.add(small);
      item.add(new byte[] {(byte) i});
    }
    try (FakeUnit unit = new FakeUnit(1 << 20)) {
      ItemCodec.Encoder encoder = codec.newEncoder();
      ItemCodec.Decoder decoder = codec.newDecoder(null, Channels.loader());
      EncodedItem encoded = encoder.encode(item, unit);
      assertEquals(1, encoded.binaries());
      List<?> restored = (List<?>) decoder.restore(decoder.register(encoded.bytes()), unit, VIEWS);
      for (int i = 0; i < 40; i++) {
        assertSame(restored.get(0), restored.get(3 * i));
        assertSame(restored.get(1), restored.get(3 * i + 1));
        assertEquals(i, ((byte[]) restored.get(3 * i + 2))[0]);
      }
      assertEquals(1, unit.peeks);
    }
  }

  @Test
  void cyclesAndSharedObjectsKeepTheirIdentity() throws Exception {
    List<Object> cycle = new ArrayList<>();
    Anything shared = new Anything("x");
    cycle.add(cycle);
    cycle.add(shared);
    cycle.add(shared);
    List<?> restored = (List<?>) roundTrip(cycle);
    assertSame(restored, restored.get(0));
    assertSame(restored.get(1), restored.get(2));
  }

  @Test
  void lambdasAndProxiesCrossWithTheirBinaries() throws Exception {
    float[] captured = new float[3000];
    captured[2999] = 4;
    Maker<Float> maker = () -> captured[2999];
    assertEquals(4f, ((Maker<?>) roundTrip(maker)).get());

    InvocationHandler handler = (InvocationHandler & Serializable) (p, m, a) -> captured.length;
    Object proxy =
        Proxy.newProxyInstance(Channels.loader(), new Class<?>[] {Samples.Answer.class}, handler);
    assertEquals(3000, ((Samples.Answer) roundTrip(proxy)).value());
  }

  // B78
  @Test
  void payloadsOfTheUserCrossSmallAndLarge() throws Exception {
    ItemCodec packets =
        ItemCodec.of(
            PayloadHandlers.standard().with(new Samples.PacketHandler()), envelopes.codec());
    for (int size : new int[] {0, 10, 5000}) {
      Packet packet = new Packet("opus", new byte[size]);
      List<?> restored = (List<?>) Channels.roundTrip(packets, List.of(packet), VIEWS);
      assertEquals("opus", ((Packet) restored.get(0)).codec());
      assertEquals(size, ((Packet) restored.get(0)).data().length);
    }
  }

  // R72
  @Test
  void aMapThatChangesBetweenItemsArrivesAsItWasEachTime() throws Exception {
    ItemCodec.Encoder encoder = codec.newEncoder();
    ItemCodec.Decoder decoder = codec.newDecoder(null, Channels.loader());
    Map<String, Integer> map = new HashMap<>();
    for (int i = 0; i < 100; i++) {
      map.put("counter", i);
      Envelope envelope = decoder.register(encoder.encode(map, null).bytes());
      encoder.sent();
      assertEquals(Map.of("counter", i), decoder.restore(envelope, null, VIEWS));
    }
  }

  // R72
  @Test
  void manySmallItemsLeaveNothingBehind() throws Exception {
    ItemCodec.Encoder encoder = codec.newEncoder();
    ItemCodec.Decoder decoder = codec.newDecoder(null, Channels.loader());
    int half = Rounds.of(1_000_000) / 2;
    sendMany(encoder, decoder, half);
    long before = usedAfterCollection();
    sendMany(encoder, decoder, half);
    long grown = usedAfterCollection() - before;
    assertTrue(grown < 4 << 20, "the heap has grown by " + grown);
  }

  private static void sendMany(ItemCodec.Encoder encoder, ItemCodec.Decoder decoder, int count) {
    for (int i = 0; i < count; i++) {
      send(encoder, decoder, Map.of("index", i, "name", "item " + i));
    }
  }

  private static Object send(ItemCodec.Encoder encoder, ItemCodec.Decoder decoder, Object item) {
    try {
      Envelope envelope = decoder.register(encoder.encode(item, null).bytes());
      encoder.sent();
      return decoder.restore(envelope, null, VIEWS);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static long usedAfterCollection() {
    Runtime runtime = Runtime.getRuntime();
    long used = Long.MAX_VALUE;
    for (int i = 0; i < 3; i++) {
      System.gc();
      used = Math.min(used, runtime.totalMemory() - runtime.freeMemory());
    }
    return used;
  }

  @Test
  void neitherSideRemembersTheItem() throws Exception {
    ItemCodec.Encoder encoder = codec.newEncoder();
    ItemCodec.Decoder decoder = codec.newDecoder(null, Channels.loader());
    List<WeakReference<?>> references = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      Anything item = new Anything(new byte[10_000]);
      references.add(new WeakReference<>(item));
      references.add(new WeakReference<>(item.value()));
      Anything restored = (Anything) send(encoder, decoder, item);
      references.add(new WeakReference<>(restored));
      references.add(new WeakReference<>(restored.value()));
    }
    Deadlines.assertEventually(
        "no item is reachable",
        () -> {
          System.gc();
          return references.stream().allMatch(r -> r.get() == null);
        });
    assertEquals(1, send(encoder, decoder, 1));
  }

  @Test
  void classDescriptorsCrossOnce() throws Exception {
    ItemCodec.Encoder encoder = codec.newEncoder();
    long first = encoder.encode(new Anything(Colour.RED), null).bytes().byteSize();
    encoder.sent();
    long second = encoder.encode(new Anything(Colour.RED), null).bytes().byteSize();
    encoder.sent();
    assertTrue(second < first / 3, first + " then " + second);
  }

  @Test
  void descriptorsOfADroppedRecordAreSentAgain() throws Exception {
    ItemCodec.Encoder encoder = codec.newEncoder();
    ItemCodec.Decoder decoder = codec.newDecoder(null, Channels.loader());
    assertEquals("x", send(encoder, decoder, "x"));
    encoder.encode(new Anything(1), null);
    encoder.dropped();
    assertEquals(new Anything(2), send(encoder, decoder, new Anything(2)));
    assertEquals(new Anything(3), send(encoder, decoder, new Anything(3)));
  }

  @Test
  void eachRecordIsSettledBeforeTheNext() throws Exception {
    ItemCodec.Encoder encoder = codec.newEncoder();
    assertThrows(IllegalStateException.class, encoder::sent);
    encoder.dropped();
    encoder.encode(1, null);
    assertThrows(IllegalStateException.class, () -> encoder.encode(2, null));
    encoder.sent();
    assertThrows(IllegalStateException.class, encoder::sent);
    encoder.encode(2, null);
    encoder.dropped();
    encoder.encode(3, null);
  }

  @Test
  void recordsAreRestoredInAnyOrderOrNotAtAll() throws Exception {
    ItemCodec.Encoder encoder = codec.newEncoder();
    ItemCodec.Decoder decoder = codec.newDecoder(null, Channels.loader());
    List<Object> items = List.of(new Anything(1), Colour.RED, UUID.randomUUID(), new Anything(4));
    List<Envelope> envelopes = new ArrayList<>();
    for (Object item : items) {
      envelopes.add(decoder.register(encoder.encode(item, null).bytes()));
      encoder.sent();
    }
    assertEquals(items.get(3), decoder.restore(envelopes.get(3), null, VIEWS));
    assertEquals(items.get(1), decoder.restore(envelopes.get(1), null, VIEWS));
    assertEquals(items.get(1), decoder.restore(envelopes.get(1), null, VIEWS));
    ItemCodec.Decoder other = codec.newDecoder(null, Channels.loader());
    assertThrows(
        IllegalArgumentException.class, () -> other.restore(envelopes.get(0), null, VIEWS));
  }

  @Test
  void severalThreadsRestoreAtOnce() throws Exception {
    ItemCodec.Encoder encoder = codec.newEncoder();
    ItemCodec.Decoder decoder = codec.newDecoder(null, Channels.loader());
    try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
      List<Future<?>> results = new ArrayList<>();
      for (int i = 0; i < 2000; i++) {
        Object item = List.of(i, new Anything(Map.of("k", i)), new byte[] {(byte) i});
        Envelope envelope = decoder.register(encoder.encode(item, null).bytes());
        encoder.sent();
        results.add(threads.submit(() -> decoder.restore(envelope, null, VIEWS)));
      }
      for (int i = 0; i < results.size(); i++) {
        List<?> restored = (List<?>) results.get(i).get(60, TimeUnit.SECONDS);
        assertEquals(i, restored.get(0));
        assertEquals(new Anything(Map.of("k", i)), restored.get(1));
        assertEquals((byte) i, ((byte[]) restored.get(2))[0]);
      }
    }
  }

  @Test
  void aClassThatIsNotKnownHereFailsItsItemAlone() throws Exception {
    ClassLoader without =
        new ClassLoader(Channels.loader()) {
          @Override
          protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.equals(Anything.class.getName())) {
              throw new ClassNotFoundException(name);
            }
            return super.loadClass(name, resolve);
          }
        };
    ItemCodec.Encoder encoder = codec.newEncoder();
    ItemCodec.Decoder decoder = codec.newDecoder(null, without);
    for (int round = 0; round < 3; round++) {
      Envelope envelope =
          decoder.register(encoder.encode(List.of(1, new Anything(Colour.RED)), null).bytes());
      encoder.sent();
      ClassNotFoundException e =
          assertThrows(ClassNotFoundException.class, () -> decoder.restore(envelope, null, VIEWS));
      assertTrue(e.getMessage().contains("Anything"), e.getMessage());
      assertEquals(Colour.RED, send(encoder, decoder, Colour.RED));
    }
  }

  @Test
  void classesComeFromTheGivenLoader() throws Exception {
    ClassLoader own = new RenewingLoader();
    ItemCodec.Encoder encoder = codec.newEncoder();
    ItemCodec.Decoder decoder = codec.newDecoder(null, own);
    Object restored = send(encoder, decoder, new Anything(Colour.RED));
    assertSame(own, restored.getClass().getClassLoader());
    assertNotEquals(Anything.class, restored.getClass());
  }

  /** Defines the sample types once more. */
  private static final class RenewingLoader extends ClassLoader {
    RenewingLoader() {
      super(Channels.loader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      synchronized (getClassLoadingLock(name)) {
        if (!name.startsWith(Samples.class.getName())) {
          return super.loadClass(name, resolve);
        }
        Class<?> loaded = findLoadedClass(name);
        return loaded == null ? define(name) : loaded;
      }
    }

    private Class<?> define(String name) throws ClassNotFoundException {
      String file = "/" + name.replace('.', '/') + ".class";
      try (InputStream in = Samples.class.getResourceAsStream(file)) {
        byte[] bytes = in.readAllBytes();
        return defineClass(name, bytes, 0, bytes.length);
      } catch (IOException e) {
        throw new ClassNotFoundException(name, e);
      }
    }
  }

  @Test
  void aFilterOfTheUserDecidesAboutClassesAndNotAboutBinaries() throws Exception {
    ObjectInputFilter filter =
        ObjectInputFilter.Config.createFilter(
            "java.util.*;java.lang.*;maxarray=100;maxbytes=400;!*");
    ItemCodec.Encoder encoder = codec.newEncoder();
    ItemCodec.Decoder decoder = codec.newDecoder(filter, Channels.loader());
    List<Object> item = List.of(1, ByteBuffer.allocate(10), new float[5000], Tensor.of(new int[1]));
    try (FakeUnit unit = new FakeUnit(1 << 20)) {
      for (int round = 0; round < 50; round++) {
        unit.rewind();
        Envelope envelope = decoder.register(encoder.encode(item, unit).bytes());
        encoder.sent();
        assertEquals(4, ((List<?>) decoder.restore(envelope, unit, VIEWS)).size());
      }
      Envelope refused = decoder.register(encoder.encode(new Anything(1), unit).bytes());
      encoder.sent();
      assertThrows(InvalidClassException.class, () -> decoder.restore(refused, unit, VIEWS));
      Envelope many = decoder.register(encoder.encode(new Object[101], unit).bytes());
      encoder.sent();
      assertThrows(InvalidClassException.class, () -> decoder.restore(many, unit, VIEWS));
      assertEquals(List.of(1), send(encoder, decoder, List.of(1)));
    }
  }

  @Test
  void moreClassesThanHaveNumbersCross() throws Exception {
    ItemCodec.Encoder encoder = codec.newEncoder();
    ItemCodec.Decoder decoder = codec.newDecoder(null, Channels.loader());
    List<Object> arrays = new ArrayList<>();
    for (Class<?> base : bases()) {
      Class<?> array = base;
      for (int dimensions = 1; dimensions < 250; dimensions++) {
        arrays.add(Array.newInstance(array, 0));
        array = array.arrayType();
      }
    }
    for (int round = 0; round < 2; round++) {
      List<?> restored = (List<?>) send(encoder, decoder, arrays);
      for (int i = 0; i < arrays.size(); i++) {
        assertSame(arrays.get(i).getClass(), restored.get(i).getClass());
      }
    }
  }

  private static List<Class<?>> bases() {
    return List.of(
        Integer.class,
        Long.class,
        Short.class,
        Byte.class,
        Character.class,
        Boolean.class,
        Float.class,
        Double.class,
        Number.class,
        String.class,
        Object.class,
        UUID.class,
        Instant.class,
        BigDecimal.class,
        List.class,
        Map.class,
        Set.class,
        HashMap.class);
  }

  // R75, R76 without the memory: a large envelope is one record
  @Test
  void largeItemsCrossWithoutAnArena() throws Exception {
    byte[] large = new byte[40 << 20];
    large[large.length - 1] = 7;
    ItemCodec.Encoder encoder = codec.newEncoder();
    ItemCodec.Decoder decoder = codec.newDecoder(null, Channels.loader());
    List<?> restored = (List<?>) send(encoder, decoder, List.of(large, "x".repeat(3 << 20)));
    assertEquals(7, ((byte[]) restored.get(0))[large.length - 1]);
    assertEquals(1, send(encoder, decoder, 1));
  }
}
