package dev.holdfast.arena.payload;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * How the compact codec writes the objects of a class. Subclasses have a shape of their own: only
 * exact classes of the JDK are written compactly. Immutable.
 */
final class Shape {

  /** The ways to write an object. */
  enum Kind {
    ARRAY_LIST,
    FIXED_LIST,
    FIXED_SET,
    FIXED_MAP,
    HASH_MAP,
    LINKED_HASH_MAP,
    TREE_MAP,
    HASH_SET,
    LINKED_HASH_SET,
    ARRAY,
    RECORD,
    ENUM,
    STREAM
  }

  private static final Map<Class<?>, Kind> KINDS =
      Map.ofEntries(
          Map.entry(ArrayList.class, Kind.ARRAY_LIST),
          Map.entry(List.of().getClass(), Kind.FIXED_LIST),
          Map.entry(List.of(0).getClass(), Kind.FIXED_LIST),
          Map.entry(Set.of().getClass(), Kind.FIXED_SET),
          Map.entry(Set.of(0).getClass(), Kind.FIXED_SET),
          Map.entry(Map.of().getClass(), Kind.FIXED_MAP),
          Map.entry(Map.of(0, 0).getClass(), Kind.FIXED_MAP),
          Map.entry(HashMap.class, Kind.HASH_MAP),
          Map.entry(LinkedHashMap.class, Kind.LINKED_HASH_MAP),
          Map.entry(TreeMap.class, Kind.TREE_MAP),
          Map.entry(HashSet.class, Kind.HASH_SET),
          Map.entry(LinkedHashSet.class, Kind.LINKED_HASH_SET));

  /* A ClassValue keeps no class from being unloaded. */
  private static final ClassValue<Shape> SHAPES =
      new ClassValue<>() {
        @Override
        protected Shape computeValue(Class<?> type) {
          return new Shape(type);
        }
      };

  private final Kind kind;
  private final @Nullable RecordAccess recordAccess;

  private Shape(Class<?> type) {
    Kind known = KINDS.get(type);
    RecordAccess access = null;
    if (known != null) {
      kind = known;
    } else if (type.isArray() && !type.getComponentType().isPrimitive()) {
      kind = Kind.ARRAY;
    } else if (Enum.class.isAssignableFrom(type)) {
      kind = Kind.ENUM;
    } else {
      access = isPlainRecord(type) ? RecordAccess.of(type) : null;
      kind = access == null ? Kind.STREAM : Kind.RECORD;
    }
    recordAccess = access;
  }

  static Shape of(Class<?> type) {
    return SHAPES.get(type);
  }

  Kind kind() {
    return kind;
  }

  /** How to reach the components, when it is a record. */
  @Nullable RecordAccess recordAccess() {
    return recordAccess;
  }

  /** Whether Java serialization takes a record apart and makes it again without code of its own. */
  private static boolean isPlainRecord(Class<?> type) {
    return type.isRecord()
        && !type.isHidden()
        && Serializable.class.isAssignableFrom(type)
        && !java.io.Externalizable.class.isAssignableFrom(type)
        && !declares(type, "writeReplace")
        && !declares(type, "readResolve");
  }

  private static boolean declares(Class<?> type, String method) {
    try {
      return type.getDeclaredMethod(method).getParameterCount() == 0;
    } catch (NoSuchMethodException e) {
      return false;
    } catch (LinkageError e) {
      return true;
    }
  }
}
