package dev.holdfast.arena.payload;

import java.io.Serial;
import java.io.Serializable;
import java.math.BigInteger;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Makes random items: values, collections, records and other objects, shared and in cycles. */
final class RandomItems {
  private static final String[] TEXTS = {
    "", "a", "plain text", "\u00e9t\u00e9", "\u4f60\u597d", "\ud83d\ude00", "\ud800 alone", "\u0000"
  };

  /** A record with a component of each type. */
  record Mixed(
      boolean truth,
      byte b,
      short s,
      char c,
      int i,
      long l,
      float f,
      double d,
      String text,
      Object value,
      List<?> list)
      implements Serializable {}

  /** A class that only Java serialization takes. */
  static final class Node implements Serializable {
    @Serial private static final long serialVersionUID = 1L;

    @SuppressWarnings("serial")
    Object first;

    @SuppressWarnings("serial")
    Object second;
  }

  private final Random random;
  private final List<Object> made = new ArrayList<>();
  private int left;
  private boolean inOrder;

  RandomItems(long seed) {
    this.random = new Random(seed);
  }

  /** Returns an item whose cycles, if any, lead through objects that can be changed. */
  Object next() {
    made.clear();
    inOrder = true;
    left = 1 + random.nextInt(60);
    Object item = value(0);
    for (int i = random.nextInt(4); i > 0 && !made.isEmpty(); i--) {
      link(anyMade(), anyMade());
    }
    return item;
  }

  private Object anyMade() {
    return made.get(random.nextInt(made.size()));
  }

  /**
   * Adds a reference where that closes no cycle through an immutable collection, and none through a
   * record when the order of the walk is open: a record in a cycle is null to what lies behind it.
   */
  private void link(Object from, Object to) {
    if (Graphs.wayLeadsThrough(to, from, Graphs::isFixed)
        || (!inOrder && Graphs.wayLeadsThrough(to, from, Record.class::isInstance))) {
      return;
    }
    switch (from) {
      case ArrayList<?> list -> objects(list).add(to);
      case LinkedList<?> list -> objects(list).add(to);
      case Node node -> node.second = to;
      case Object[] array when array.getClass() == Object[].class && array.length > 0 ->
          array[0] = to;
      default -> {}
    }
  }

  @SuppressWarnings("unchecked")
  private static List<Object> objects(List<?> list) {
    return (List<Object>) list;
  }

  private Object value(int depth) {
    left--;
    if (!made.isEmpty() && random.nextInt(5) == 0) {
      return anyMade();
    }
    if (left <= 0 || depth > 8 || random.nextInt(3) == 0) {
      return leaf();
    }
    Object object = container(depth + 1);
    made.add(object);
    return object;
  }

  private Object leaf() {
    return switch (random.nextInt(16)) {
      case 0 -> null;
      case 1 -> random.nextBoolean();
      case 2 -> (byte) random.nextInt();
      case 3 -> (short) random.nextInt();
      case 4 -> (char) random.nextInt();
      case 5 -> random.nextInt() >> random.nextInt(32);
      case 6 -> random.nextLong() >> random.nextInt(64);
      case 7 -> Float.intBitsToFloat(random.nextInt());
      case 8 -> Double.longBitsToDouble(random.nextLong());
      case 9, 10 -> TEXTS[random.nextInt(TEXTS.length)];
      case 11 -> "x".repeat(random.nextInt(200));
      case 12 -> random.nextBoolean() ? Samples.Colour.RED : Samples.Colour.GREEN;
      case 13 -> new BigInteger(70, random);
      case 14 -> new byte[random.nextInt(10)];
      default -> Tensor.of(new int[] {random.nextInt()}, 1);
    };
  }

  private Object key() {
    return random.nextBoolean() ? TEXTS[random.nextInt(TEXTS.length)] : random.nextInt(1000);
  }

  private List<Object> values(int depth) {
    List<Object> values = new ArrayList<>();
    for (int i = random.nextInt(6); i > 0; i--) {
      values.add(value(depth));
    }
    return values;
  }

  private Object[] present(int depth) {
    return values(depth).stream().filter(v -> v != null).toArray();
  }

  private <M extends Map<Object, Object>> M filled(M map, int depth) {
    for (Object value : values(depth)) {
      map.put(key(), value);
    }
    return map;
  }

  private Map<Object, Object> sorted(Map<Object, Object> map, int depth) {
    for (Object value : values(depth)) {
      map.put(random.nextInt(50), value);
    }
    return map;
  }

  private Set<Object> keys() {
    Set<Object> keys = new HashSet<>();
    for (int i = random.nextInt(6); i > 0; i--) {
      keys.add(key());
    }
    return keys;
  }

  @SuppressWarnings("JdkObsolete") // a linked list is what only Java serialization takes
  private Object container(int depth) {
    return switch (random.nextInt(24)) {
      case 0, 1 -> new ArrayList<>(values(depth));
      case 2 -> List.of(present(depth));
      case 3 -> Stream.of(values(depth).toArray()).toList();
      case 4 -> Set.copyOf(keys());
      case 5 -> {
        inOrder = false;
        yield Map.copyOf(withoutNulls(filled(new HashMap<>(), depth)));
      }
      case 6, 7 -> filled(new HashMap<>(), depth);
      case 8 -> filled(new LinkedHashMap<>(), depth);
      case 9 -> filled(new LinkedHashMap<>(16, 0.75f, true), depth);
      case 10 -> sorted(new TreeMap<>(), depth);
      case 11 -> sorted(new TreeMap<>(Collections.reverseOrder()), depth);
      case 12 -> new HashSet<>(keys());
      case 13 -> new LinkedHashSet<>(keys());
      case 14 -> values(depth).toArray();
      case 15 -> new String[] {"one", null, TEXTS[random.nextInt(TEXTS.length)]};
      case 16 -> new Samples.Anything[] {new Samples.Anything(value(depth)), null};
      case 17 -> new Samples.Anything(value(depth));
      case 18 -> mixed(depth);
      case 19, 20 -> node(depth);
      case 21 -> new LinkedList<>(values(depth));
      case 22 -> Arrays.asList(values(depth).toArray());
      default -> new ArrayDeque<>(Arrays.asList(present(depth)));
    };
  }

  private static Map<Object, Object> withoutNulls(Map<Object, Object> map) {
    map.values().removeIf(v -> v == null);
    return map;
  }

  private Node node(int depth) {
    Node node = new Node();
    node.first = value(depth);
    node.second = value(depth);
    return node;
  }

  private Mixed mixed(int depth) {
    return new Mixed(
        random.nextBoolean(),
        (byte) random.nextInt(),
        (short) random.nextInt(),
        (char) random.nextInt(),
        random.nextInt(),
        random.nextLong(),
        random.nextFloat(),
        random.nextDouble(),
        TEXTS[random.nextInt(TEXTS.length)],
        value(depth),
        new ArrayList<>(values(depth)));
  }
}
