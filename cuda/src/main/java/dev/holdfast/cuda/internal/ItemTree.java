package dev.holdfast.cuda.internal;

import dev.holdfast.arena.payload.Tensor;
import java.lang.reflect.Array;
import java.util.AbstractMap.SimpleImmutableEntry;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Makes an item again with other tensors: records, lists, maps and arrays of references, nested in
 * any way. Everything else passes through, and so does a container without a tensor that changes.
 * What appears twice in the item is made once. Used for one item, by one thread.
 */
public final class ItemTree {
  private static final Object UNDER_WAY = new Object();

  private final UnaryOperator<Tensor> leaf;
  private final IdentityHashMap<Object, Object> made = new IdentityHashMap<>();
  private final Deque<String> path = new ArrayDeque<>();

  private ItemTree(UnaryOperator<Tensor> leaf) {
    this.leaf = leaf;
  }

  /**
   * Makes an item again.
   *
   * @param item the item
   * @param leaf gives another tensor for each, or the same
   * @return the item made again, or the same
   * @throws IllegalArgumentException when a container cannot be made again, with the path to it
   */
  public static @Nullable Object map(@Nullable Object item, UnaryOperator<Tensor> leaf) {
    return new ItemTree(leaf).walk(item);
  }

  private @Nullable Object walk(@Nullable Object item) {
    if (item == null || !isInner(item)) {
      return item;
    }
    Object known = made.putIfAbsent(item, UNDER_WAY);
    if (known == UNDER_WAY) {
      throw new IllegalArgumentException("the item contains itself: path=" + path());
    }
    if (known != null) {
      return known;
    }
    Object again =
        switch (item) {
          case Tensor tensor -> leaf.apply(tensor);
          case Record record -> record(record);
          case List<?> list -> list(list);
          case Map<?, ?> map -> map(map);
          default -> array((Object[]) item);
        };
    made.put(item, again);
    return again;
  }

  private static boolean isInner(Object item) {
    return item instanceof Tensor
        || item instanceof Record
        || item instanceof List
        || item instanceof Map
        || item instanceof Object[];
  }

  private Object record(Record item) {
    RecordShape shape = RecordShape.of(item.getClass());
    @Nullable Object[] values = new Object[shape.size()];
    boolean changed = false;
    for (int i = 0; i < values.length; i++) {
      Object value = shape.get(item, i);
      path.addLast("." + shape.name(i));
      values[i] = walk(value);
      changed |= !same(values[i], value);
      requireFits(values[i], value, shape.type(i));
      path.removeLast();
    }
    return changed ? shape.make(values) : item;
  }

  private Object list(List<?> item) {
    List<@Nullable Object> values = new ArrayList<>(item.size());
    boolean changed = false;
    for (Object value : item) {
      path.addLast("[" + values.size() + "]");
      Object again = walk(value);
      values.add(again);
      changed |= !same(again, value);
      path.removeLast();
    }
    return changed ? Containers.list(item, values, this::path) : item;
  }

  private Object map(Map<?, ?> item) {
    List<Map.Entry<?, ?>> values = new ArrayList<>(item.size());
    boolean changed = false;
    for (Map.Entry<?, ?> entry : item.entrySet()) {
      path.addLast("[" + entry.getKey() + "]");
      Object again = walk(entry.getValue());
      values.add(new SimpleImmutableEntry<>(entry.getKey(), again));
      changed |= !same(again, entry.getValue());
      path.removeLast();
    }
    return changed ? Containers.map(item, values, this::path) : item;
  }

  private Object array(@Nullable Object[] item) {
    Class<?> type = item.getClass().getComponentType();
    @Nullable Object[] values = (Object[]) Array.newInstance(type, item.length);
    boolean changed = false;
    for (int i = 0; i < item.length; i++) {
      path.addLast("[" + i + "]");
      Object again = walk(item[i]);
      requireFits(again, item[i], type);
      values[i] = again;
      changed |= !same(again, item[i]);
      path.removeLast();
    }
    return changed ? values : item;
  }

  private void requireFits(@Nullable Object again, @Nullable Object before, Class<?> type) {
    if (!same(again, before) && !type.isInstance(again)) {
      throw new IllegalArgumentException(
          "a tensor of another place does not fit: path=%s type=%s; declare it as Tensor"
              .formatted(path(), type.getName()));
    }
  }

  @SuppressWarnings("ReferenceEquality") // an equal object is another one
  private static boolean same(@Nullable Object left, @Nullable Object right) {
    return left == right;
  }

  private String path() {
    return "item" + String.join("", path);
  }
}
