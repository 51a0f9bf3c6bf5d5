package dev.holdfast.arena.payload;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/** Walks items of {@link RandomItems} and says what they are, identity of objects included. */
final class Graphs {
  private static final Set<Class<?>> FIXED =
      Set.of(
          List.of().getClass(),
          List.of(1).getClass(),
          Set.of().getClass(),
          Set.of(1).getClass(),
          Map.of().getClass(),
          Map.of(1, 1).getClass());

  private final IdentityHashMap<Object, Integer> numbers = new IdentityHashMap<>();
  private final StringBuilder text = new StringBuilder();

  private Graphs() {}

  /** Two items with equal descriptions have the same classes, values, order and references. */
  static String describe(Object item) {
    Graphs walk = new Graphs();
    walk.append(item);
    return walk.text.toString();
  }

  /** Whether a way from one object to another leads through an object of a sort. */
  static boolean wayLeadsThrough(Object from, Object to, Predicate<Object> sort) {
    Set<Object> all = reachable(from);
    return all.contains(to)
        && all.stream().anyMatch(o -> sort.test(o) && reachable(o).contains(to));
  }

  static boolean isFixed(Object object) {
    return FIXED.contains(object.getClass());
  }

  private static Set<Object> reachable(Object from) {
    Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    ArrayDeque<Object> queue = new ArrayDeque<>(List.of(from));
    seen.add(from);
    while (!queue.isEmpty()) {
      for (Object part : parts(queue.poll())) {
        if (part != null && seen.add(part)) {
          queue.add(part);
        }
      }
    }
    return seen;
  }

  private static List<?> parts(Object object) {
    return switch (object) {
      case Object[] array -> Arrays.asList(array);
      case Map<?, ?> map -> {
        List<Object> parts = inOrder(map.keySet(), isFixed(map));
        parts.addAll(parts.stream().map(map::get).toList());
        yield parts;
      }
      case Set<?> elements -> inOrder(elements, isFixed(elements));
      case Collection<?> elements -> new ArrayList<>(elements);
      case RandomItems.Node node -> Arrays.asList(node.first, node.second);
      case Samples.Anything anything -> Arrays.asList(anything.value());
      case RandomItems.Mixed m -> Arrays.asList(m.text(), m.value(), m.list());
      default -> List.of();
    };
  }

  /** Sets and maps that are made at once promise no order, so that of their texts is taken. */
  private static List<Object> inOrder(Collection<?> keys, boolean byText) {
    List<Object> ordered = new ArrayList<>(keys);
    if (byText) {
      ordered.sort(Comparator.comparing(String::valueOf));
    }
    return ordered;
  }

  private void append(Object object) {
    switch (object) {
      case null -> text.append("null");
      case Float f -> text.append("f").append(Float.floatToIntBits(f));
      case Double d -> text.append("d").append(Double.doubleToLongBits(d));
      case String s -> text.append('"').append(s).append('"');
      case Number n -> text.append(n.getClass().getSimpleName()).append(n);
      case Boolean b -> text.append(b);
      case Character c -> text.append("c").append((int) c);
      case Enum<?> e -> text.append(e.getDeclaringClass().getName()).append(e.name());
      default -> appendObject(object);
    }
  }

  private void appendObject(Object object) {
    if (!isFixed(object)) {
      Integer known = numbers.putIfAbsent(object, numbers.size());
      if (known != null) {
        text.append('#').append(known);
        return;
      }
    }
    text.append(object.getClass().getName()).append('{');
    switch (object) {
      case byte[] bytes -> text.append(Arrays.toString(bytes));
      case Tensor tensor -> text.append(Arrays.toString(tensor.toByteArray()));
      case RandomItems.Mixed m -> {
        text.append(List.of(m.truth(), m.b(), m.s(), (int) m.c(), m.i(), m.l(), m.f(), m.d()));
        appendParts(object);
      }
      default -> appendParts(object);
    }
    text.append('}');
  }

  private void appendParts(Object object) {
    for (Object part : parts(object)) {
      append(part);
      text.append(',');
    }
  }
}
