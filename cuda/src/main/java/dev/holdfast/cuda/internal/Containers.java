package dev.holdfast.cuda.internal;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes a list or a map again with other values: of the same class where that is a usual one,
 * unmodifiable for any other of the JDK. Classes of others are refused.
 */
final class Containers {
  private Containers() {}

  @SuppressWarnings("JdkObsolete") // users have linked lists
  static Object list(List<?> before, List<@Nullable Object> values, Supplier<String> path) {
    Class<?> type = before.getClass();
    if (type == ArrayList.class) {
      return values;
    }
    if (type == LinkedList.class) {
      return new LinkedList<>(values);
    }
    if (type == CopyOnWriteArrayList.class) {
      return new CopyOnWriteArrayList<>(values);
    }
    requireOfTheJdk(type, path);
    return Collections.unmodifiableList(values);
  }

  static Object map(
      Map<?, ?> before, List<? extends Map.Entry<?, ?>> values, Supplier<String> path) {
    Class<?> type = before.getClass();
    if (type == HashMap.class) {
      return filled(new HashMap<>(), values);
    }
    if (type == LinkedHashMap.class) {
      return filled(new LinkedHashMap<>(), values);
    }
    if (type == ConcurrentHashMap.class) {
      return filled(new ConcurrentHashMap<>(), values);
    }
    if (before instanceof TreeMap<?, ?> sorted && type == TreeMap.class) {
      return filled(sameOrder(sorted), values);
    }
    if (before instanceof EnumMap<?, ?> byConstant && type == EnumMap.class) {
      return filled(byConstant.clone(), values);
    }
    requireOfTheJdk(type, path);
    return Collections.unmodifiableMap(filled(new LinkedHashMap<>(), values));
  }

  private static <K> Map<K, Object> sameOrder(SortedMap<K, ?> sorted) {
    return new TreeMap<>(sorted.comparator());
  }

  @SuppressWarnings(
      "unchecked") // keys come from a map of the same class, values are checked by nobody
  private static Map<?, ?> filled(Map<?, ?> empty, List<? extends Map.Entry<?, ?>> values) {
    Map<Object, @Nullable Object> map = (Map<Object, @Nullable Object>) empty;
    for (Map.Entry<?, ?> entry : values) {
      map.put(entry.getKey(), entry.getValue());
    }
    return map;
  }

  private static void requireOfTheJdk(Class<?> type, Supplier<String> path) {
    if (type.getClassLoader() != null) {
      throw new IllegalArgumentException(
          "a container cannot be made again: path=%s class=%s; use a list or a map of the JDK"
              .formatted(path.get(), type.getName()));
    }
  }
}
