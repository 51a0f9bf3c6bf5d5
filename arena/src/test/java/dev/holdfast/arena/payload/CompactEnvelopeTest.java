package dev.holdfast.arena.payload;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.payload.RandomItems.Node;
import dev.holdfast.arena.payload.Samples.Anything;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Externalizable;
import java.io.InvalidClassException;
import java.io.InvalidObjectException;
import java.io.ObjectInput;
import java.io.ObjectInputFilter;
import java.io.ObjectOutput;
import java.io.Serial;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** What the compact codec could lose; each test holds for Java serialization as well. */
@ParameterizedClass
@EnumSource(Envelopes.class)
class CompactEnvelopeTest {
  private final Envelopes envelopes;
  private final ItemCodec codec;

  @TempDir Path folder;

  CompactEnvelopeTest(Envelopes envelopes) {
    this.envelopes = envelopes;
    this.codec = envelopes.items();
  }

  private Object roundTrip(Object item) throws Exception {
    return Channels.roundTrip(codec, item, RestoreMode.HEAP_COPIES);
  }

  private Object send(Object item, ClassLoader loader, ObjectInputFilter filter) throws Exception {
    ItemCodec.Decoder decoder = codec.newDecoder(filter, loader);
    Envelope envelope = decoder.register(codec.newEncoder().encode(item, null).bytes());
    return decoder.restore(envelope, null, RestoreMode.VIEWS);
  }

  /** A subclass with state of its own. */
  static final class Named extends ArrayList<Object> {
    @Serial private static final long serialVersionUID = 1L;
    final String name;

    Named(String name) {
      this.name = name;
    }
  }

  @Test
  void concreteClassesArrive() throws Exception {
    Named named = new Named("mine");
    named.add(1);
    Named restored = assertInstanceOf(Named.class, roundTrip(named));
    assertEquals("mine", restored.name);
    for (Object item :
        List.of(
            new ArrayList<>(List.of(1)),
            List.of(),
            List.of(1),
            List.of(1, 2, 3),
            Arrays.asList(1, 2),
            new String[] {"a"},
            new Integer[][] {{1}, null},
            new Serializable[] {1})) {
      assertSame(item.getClass(), roundTrip(item).getClass());
    }
    assertThrows(ArrayStoreException.class, () -> ((Object[]) roundTrip(new Long[1]))[0] = "x");
    assertThrows(
        NullPointerException.class, () -> ((List<?>) roundTrip(List.of(1))).contains(null));
    List<?> withNulls = (List<?>) roundTrip(Stream.of(1, null, 2).toList());
    assertTrue(withNulls.contains(null));
    assertTrue(!((List<?>) roundTrip(Stream.of(1, 2, 3).toList())).contains(null));
    assertThrows(UnsupportedOperationException.class, withNulls::clear);
  }

  @Test
  @SuppressWarnings("unchecked")
  void ordersArrive() throws Exception {
    Map<Object, Object> byAccess = new LinkedHashMap<>(16, 0.75f, true);
    Map<Object, Object> byInsertion = new LinkedHashMap<>();
    for (int i = 9; i > 0; i--) {
      byAccess.put(i, "v" + i);
      byInsertion.put(i, "v" + i);
    }
    Map<Object, Object> inserted = (Map<Object, Object>) roundTrip(byInsertion);
    assertEquals(List.copyOf(byInsertion.keySet()), List.copyOf(inserted.keySet()));
    assertEquals("v9", inserted.get(9));
    assertEquals(9, inserted.keySet().iterator().next());
    Map<Object, Object> accessed = (Map<Object, Object>) roundTrip(byAccess);
    assertEquals("v9", accessed.get(9));
    assertEquals(8, accessed.keySet().iterator().next());

    TreeMap<Object, Object> reversed = new TreeMap<>(Collections.reverseOrder());
    reversed.putAll(Map.of(1, 1, 2, 2, 3, 3));
    TreeMap<Object, Object> restored = (TreeMap<Object, Object>) roundTrip(reversed);
    restored.put(0, 0);
    assertEquals(List.of(3, 2, 1, 0), List.copyOf(restored.keySet()));
    TreeMap<Object, Object> natural = (TreeMap<Object, Object>) roundTrip(new TreeMap<>(reversed));
    assertSame(reversed.comparator(), natural.comparator());
    TreeMap<Object, Object> plain =
        (TreeMap<Object, Object>) roundTrip(new TreeMap<>(Map.of("b", 1, "a", 2)));
    assertNull(plain.comparator());
    plain.put("aa", 3);
    assertEquals(List.of("a", "aa", "b"), List.copyOf(plain.keySet()));
  }

  private static Node node(Object first, Object second) {
    Node node = new Node();
    node.first = first;
    node.second = second;
    return node;
  }

  @Test
  void anObjectInsideAndOutsideAnObjectStreamArrivesAsOne() throws Exception {
    List<Object> shared = new ArrayList<>(List.of(1));
    Anything value = new Anything("x");
    Node node = node(shared, value);
    List<?> outsideFirst = (List<?>) roundTrip(new ArrayList<>(List.of(shared, value, node)));
    assertSame(outsideFirst.get(0), ((Node) outsideFirst.get(2)).first);
    assertSame(outsideFirst.get(1), ((Node) outsideFirst.get(2)).second);
    List<?> insideFirst = (List<?>) roundTrip(new ArrayList<>(List.of(node, shared, value, node)));
    assertSame(insideFirst.get(1), ((Node) insideFirst.get(0)).first);
    assertSame(insideFirst.get(2), ((Node) insideFirst.get(0)).second);
    assertSame(insideFirst.get(0), insideFirst.get(3));
    Node other = node(node, shared);
    List<?> two = (List<?>) roundTrip(List.of(node, other, node(other, node)));
    assertSame(two.get(0), ((Node) two.get(1)).first);
    assertSame(((Node) two.get(0)).first, ((Node) two.get(1)).second);
    assertSame(two.get(1), ((Node) two.get(2)).first);
    assertSame(two.get(0), ((Node) two.get(2)).second);
    byte[] bytes = new byte[5000];
    List<?> binary = (List<?>) roundTrip(List.of(node(bytes, null), bytes));
    assertSame(binary.get(1), ((Node) binary.get(0)).first);
  }

  @Test
  void cyclesLeadIntoAnObjectStreamAndOut() throws Exception {
    List<Object> list = new ArrayList<>();
    Map<String, Object> map = new HashMap<>();
    list.add(map);
    map.put("node", node(list, map));
    List<?> restored = (List<?>) roundTrip(list);
    Map<?, ?> restoredMap = (Map<?, ?>) restored.get(0);
    Node node = (Node) restoredMap.get("node");
    assertSame(restored, node.first);
    assertSame(restoredMap, node.second);
    Node own = node(null, null);
    own.first = own;
    Node restoredOwn = (Node) roundTrip(own);
    assertSame(restoredOwn, restoredOwn.first);
  }

  /** So says the specification of object serialization about records. */
  @Test
  void aReferenceBackToAnUnfinishedRecordIsNull() throws Exception {
    List<Object> list = new ArrayList<>();
    Anything record = new Anything(list);
    list.add(record);
    list.add(node(record, list));
    List<?> restored = (List<?>) ((Anything) roundTrip(record)).value();
    assertNull(restored.get(0));
    assertNull(((Node) restored.get(1)).first);
    assertSame(restored, ((Node) restored.get(1)).second);
  }

  @Test
  void stringsThatAreHalfAPairArrive() throws Exception {
    for (String text : List.of("\ud83d", "a\udc00b", "\u0100", "\u00ff\u0000", "x\uffff")) {
      assertEquals(text, roundTrip(text));
    }
  }

  /** Counts the calls of its constructor. */
  record Checked(int low, int high) implements Serializable {
    static int made;

    Checked {
      made++;
      if (low > high) {
        throw new IllegalArgumentException("planned");
      }
    }

    @Override
    public int low() {
      throw new AssertionError("an accessor was called");
    }
  }

  @Test
  void recordsAreMadeByTheirConstructorFromTheirFields() throws Exception {
    Checked checked = new Checked(1, 2);
    int before = Checked.made;
    Checked restored = (Checked) roundTrip(checked);
    assertEquals(before + 1, Checked.made);
    assertEquals(2, restored.high());
    assertEquals(checked, restored);
  }

  record Replaced(String text) implements Serializable {
    @Serial
    private Object writeReplace() {
      return "replaced " + text;
    }
  }

  record Resolved(String text) implements Serializable {
    @Serial
    private Object readResolve() {
      return "resolved " + text;
    }
  }

  @SuppressWarnings("serial") // the methods have no effect, which is what is tested
  record External(String text) implements Externalizable {
    @Override
    public void writeExternal(ObjectOutput out) {
      throw new AssertionError("records are written by their components");
    }

    @Override
    public void readExternal(ObjectInput in) {
      throw new AssertionError("records are read by their components");
    }
  }

  @Test
  void hooksOfRecordsAreCalledAsBySerialization() throws Exception {
    assertEquals("replaced x", roundTrip(new Replaced("x")));
    assertEquals("resolved x", roundTrip(new Resolved("x")));
    assertEquals(new External("x"), roundTrip(new External("x")));
  }

  @Test
  void recordsOfPackagesThatAreNotOpenArrive() throws Exception {
    String source =
        "package sample; public record Point(int x, Object y)"
            + " implements java.io.Serializable {}";
    for (String opens : List.of("exports sample;", "opens sample;", "")) {
      ClassLoader loader =
          Compiled.of(folder, "Point", source, "module sample.records { " + opens + " }")
              .asModule("sample.records");
      Class<?> type = Class.forName("sample.Point", true, loader);
      assertTrue(type.getModule().isNamed());
      Object point;
      try {
        point = type.getConstructor(int.class, Object.class).newInstance(3, "y");
      } catch (IllegalAccessException e) {
        assertEquals("", opens);
        continue;
      }
      assertEquals(List.of(point, 1), send(List.of(point, 1), loader, null));
    }
  }

  @Test
  void recordsOfAnotherVersionAreMatchedByName() throws Exception {
    String before =
        "package sample; public record Version(int dropped, String kept, long number)"
            + " implements java.io.Serializable {}";
    String after =
        "package sample; public record Version(Object added, long number, boolean flag,"
            + " String kept) implements java.io.Serializable {}";
    String changed =
        "package sample; public record Version(int number) implements java.io.Serializable {}";
    ClassLoader old = Compiled.of(folder, "Version", before, "").onClassPath();
    Object item =
        Class.forName("sample.Version", true, old)
            .getConstructor(int.class, String.class, long.class)
            .newInstance(1, "kept", 7L);
    ClassLoader now = Compiled.of(folder, "Version", after, "").onClassPath();
    assertEquals(
        "Version[added=null, number=7, flag=false, kept=kept]", send(item, now, null).toString());
    ClassLoader other = Compiled.of(folder, "Version", changed, "").onClassPath();
    assertThrows(InvalidClassException.class, () -> send(item, other, null));
    assertThrows(ClassNotFoundException.class, () -> send(item, Channels.loader(), null));
  }

  @Test
  void aConstructorThatRefusesFailsTheItem() throws Exception {
    String lax = "package sample; public record Strict(int n) implements java.io.Serializable {}";
    String strict =
        "package sample; public record Strict(int n) implements java.io.Serializable {"
            + " public Strict { if (n > 1) { throw new IllegalStateException(\"planned\"); } } }";
    ClassLoader sender = Compiled.of(folder, "Strict", lax, "").onClassPath();
    Object item =
        Class.forName("sample.Strict", true, sender).getConstructor(int.class).newInstance(2);
    ClassLoader receiver = Compiled.of(folder, "Strict", strict, "").onClassPath();
    InvalidObjectException e =
        assertThrows(InvalidObjectException.class, () -> send(item, receiver, null));
    assertInstanceOf(IllegalStateException.class, e.getCause());
  }

  @Test
  void filtersAreAskedAboutRecordsEnumsAndDepth() throws Exception {
    ClassLoader loader = Channels.loader();
    Object item = List.of(new Anything(Samples.Colour.RED));
    for (String pattern :
        List.of(
            "!" + Anything.class.getName(),
            "!" + Samples.Colour.class.getName(),
            "!java.util.*",
            "maxdepth=1",
            "maxrefs=1",
            "maxbytes=3",
            "!java.lang.Enum")) {
      ObjectInputFilter filter = ObjectInputFilter.Config.createFilter(pattern);
      assertThrows(InvalidClassException.class, () -> send(item, loader, filter), pattern);
    }
    ObjectInputFilter generous = ObjectInputFilter.Config.createFilter("maxdepth=20;maxrefs=90");
    assertEquals(item, send(item, loader, generous));
    ObjectInputFilter throwing =
        info -> {
          throw new IllegalStateException("planned");
        };
    InvalidClassException e =
        assertThrows(InvalidClassException.class, () -> send(item, loader, throwing));
    assertEquals("planned", e.getCause().getMessage());
    ObjectInputFilter shallow = ObjectInputFilter.Config.createFilter("maxdepth=6");
    Object deep = List.of(List.of(List.of(List.of(node(node(1, 2), 2)))));
    assertThrows(InvalidClassException.class, () -> send(deep, loader, shallow));
  }

  @Test
  void anItemMayBeWrittenToAnyStream() throws Exception {
    EnvelopeCodec.Writer writer = envelopes.codec().newWriter();
    EnvelopeCodec.Reader reader = envelopes.codec().newReader(null, Channels.loader());
    byte[] binary = {1, 2};
    Object item = Map.of("a", new Anything(binary), "b", List.of(node(1, binary)));
    for (int round = 0; round < 2; round++) {
      ByteArrayOutputStream body = new ByteArrayOutputStream();
      ByteArrayOutputStream head = new ByteArrayOutputStream();
      writer.write(item, leaf -> leaf instanceof byte[] ? 0 : BinarySink.INLINE, body);
      writer.writeHead(head);
      writer.sent();
      if (head.size() > 0) {
        reader.register(head.toByteArray());
      }
      Object restored = reader.read(new ByteArrayInputStream(body.toByteArray()), n -> binary);
      Node node = (Node) ((List<?>) ((Map<?, ?>) restored).get("b")).get(0);
      assertSame(binary, node.second);
      assertNotNull(((Map<?, ?>) restored).get("a"));
    }
  }

  @Test
  void aCycleThroughAnImmutableCollectionIsAnErrorWithItsPath() throws Exception {
    if (envelopes == Envelopes.JAVA) {
      return; // Java serialization puts its own replacement there
    }
    List<Object> list = new ArrayList<>();
    Object item = Map.of("k", list);
    list.add(item);
    ItemCodec.Encoder encoder = codec.newEncoder();
    InvalidObjectException e =
        assertThrows(InvalidObjectException.class, () -> encoder.encode(item, null));
    assertTrue(e.getMessage().contains("path=item[\"k\"]"), e.getMessage());
    Envelope envelope =
        codec
            .newDecoder(null, Channels.loader())
            .register(encoder.encode(list.size(), null).bytes());
    assertNotNull(envelope);
  }

  @Test
  void commonItemsNeedFewBytes() throws Exception {
    ItemCodec.Encoder encoder = codec.newEncoder();
    Object item = Map.of("index", 7, "point", new Anything(List.of(1, 2, 3)));
    encoder.encode(item, null);
    encoder.sent();
    long bytes = encoder.encode(item, null).bytes().byteSize();
    assertTrue(bytes <= (envelopes == Envelopes.COMPACT ? 64 : 200), "bytes=" + bytes);
    Object[] wide = new Object[3000];
    Arrays.setAll(wide, i -> i % 3 == 0 ? "text " + i : new ArrayList<>(List.of(i)));
    assertArrayEquals(wide, (Object[]) roundTrip(wide));
  }
}
