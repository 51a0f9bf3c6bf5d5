package dev.holdfast.arena.payload;

import java.lang.invoke.SerializedLambda;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the way from one object to another for error messages, by fields, indexes and keys. Runs
 * user code nowhere but in {@code writeReplace}, which serialization runs as well; calls no {@code
 * toString}.
 *
 * <p>The search is breadth-first with a queue of its own, so that it needs no stack however deep
 * the objects nest, sees each object once, and gives up after a fixed number of them.
 */
final class ObjectPaths {
  private static final int MAX_OBJECTS = 200_000;
  private static final int MAX_TEXT_CHARS = 160;
  private static final int MAX_KEY_CHARS = 40;

  private record Step(Object object, @Nullable Step from, String label) {}

  private final Object target;
  private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
  private final List<Step> queue = new ArrayList<>();

  private ObjectPaths(Object target) {
    this.target = target;
  }

  /** Returns the path from a root, or null when there is none that can be seen. */
  static @Nullable String find(String rootName, @Nullable Object root, Object target) {
    if (root == null) {
      return null;
    }
    try {
      return new ObjectPaths(target).search(rootName, root);
    } catch (RuntimeException | LinkageError | StackOverflowError e) {
      return null;
    }
  }

  /** The name of a class; that of a lambda says where it was written. */
  static String nameOf(Class<?> type) {
    String name = type.getTypeName();
    int lambda = name.indexOf("$$Lambda");
    return lambda < 0 ? name : "lambda in " + name.substring(0, lambda);
  }

  /** Keeps both ends of a long text. */
  static String cut(String text) {
    if (text.length() <= MAX_TEXT_CHARS) {
      return text;
    }
    int half = MAX_TEXT_CHARS / 2;
    return text.substring(0, half) + "..." + text.substring(text.length() - half);
  }

  @SuppressWarnings("ReferenceEquality") // identity is what is asked for
  private @Nullable String search(String rootName, Object root) {
    seen.add(root);
    queue.add(new Step(root, null, rootName));
    for (int next = 0; next < queue.size() && queue.size() < MAX_OBJECTS; next++) {
      Step step = queue.get(next);
      if (step.object() == target) {
        return text(step);
      }
      expand(step);
    }
    return null;
  }

  private static String text(Step end) {
    List<String> labels = new ArrayList<>();
    for (Step step = end; step != null; step = step.from()) {
      labels.add(step.label());
    }
    return cut(String.join("", labels.reversed()));
  }

  private void expand(Step step) {
    Object object = step.object();
    Class<?> type = object.getClass();
    if (type.isArray()) {
      expandArray(step, object);
    } else if (object instanceof SerializedLambda lambda) {
      for (int i = 0; i < lambda.getCapturedArgCount(); i++) {
        visit(step, lambda.getCapturedArg(i), ".capturedArgument[" + i + "]");
      }
    } else if (isOfTheJdk(type) && object instanceof Map<?, ?> map) {
      expandMap(step, map);
    } else if (isOfTheJdk(type) && object instanceof Collection<?> elements) {
      int index = 0;
      for (Object element : elements) {
        visit(step, element, "[" + index + "]");
        index++;
      }
    } else if (isOfTheJdk(type) && object instanceof Map.Entry<?, ?> entry) {
      visit(step, entry.getKey(), ".key");
      visit(step, entry.getValue(), ".value");
    } else {
      boolean replaced = expandReplacement(step, object);
      if (!(replaced && type.isHidden())) {
        expandFields(step, object);
      }
    }
  }

  private void visit(Step from, @Nullable Object object, String label) {
    if (object == null || object instanceof String || object instanceof Class<?>) {
      return;
    }
    if (seen.add(object)) {
      queue.add(new Step(object, from, label));
    }
  }

  private void expandArray(Step step, Object array) {
    if (!array.getClass().getComponentType().isPrimitive()) {
      for (int i = 0; i < Array.getLength(array); i++) {
        visit(step, Array.get(array, i), "[" + i + "]");
      }
    }
  }

  private void expandMap(Step step, Map<?, ?> map) {
    int index = 0;
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      visit(step, entry.getKey(), ".key[" + index + "]");
      visit(step, entry.getValue(), "[" + keyText(entry.getKey(), index) + "]");
      index++;
    }
  }

  private static String keyText(@Nullable Object key, int index) {
    return switch (key) {
      case null -> "null";
      case String text -> '"' + shortened(text).replace("\\", "\\\\").replace("\"", "\\\"") + '"';
      case Integer number -> number.toString();
      case Long number -> number.toString();
      case Enum<?> constant -> constant.name();
      default -> "value " + index;
    };
  }

  private static String shortened(String text) {
    return text.length() <= MAX_KEY_CHARS ? text : text.substring(0, MAX_KEY_CHARS) + "...";
  }

  /**
   * What serialization writes in the place of an object; a lambda has its captured arguments there.
   */
  private boolean expandReplacement(Step step, Object object) {
    Method replace = writeReplace(object.getClass());
    if (replace == null) {
      return false;
    }
    try {
      replace.setAccessible(true);
      visit(step, replace.invoke(object), "");
      return true;
    } catch (ReflectiveOperationException | InaccessibleObjectException e) {
      return false;
    }
  }

  private static @Nullable Method writeReplace(Class<?> type) {
    for (Class<?> c = type; c != null && c != Object.class; c = c.getSuperclass()) {
      for (Method method : c.getDeclaredMethods()) {
        if (method.getName().equals("writeReplace") && method.getParameterCount() == 0) {
          return method;
        }
      }
    }
    return null;
  }

  private void expandFields(Step step, Object object) {
    for (Class<?> c = object.getClass(); c != null && c != Object.class; c = c.getSuperclass()) {
      for (Field field : c.getDeclaredFields()) {
        if (!Modifier.isStatic(field.getModifiers()) && !field.getType().isPrimitive()) {
          visit(step, valueOf(field, object), "." + field.getName());
        }
      }
    }
  }

  private static @Nullable Object valueOf(Field field, Object object) {
    try {
      return field.trySetAccessible() ? field.get(object) : null;
    } catch (IllegalAccessException e) {
      return null;
    }
  }

  private static boolean isOfTheJdk(Class<?> type) {
    return type.getModule() == Object.class.getModule();
  }
}
