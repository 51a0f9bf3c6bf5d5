package dev.holdfast.loader.internal.pipeline;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.SerializedLambda;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.Buffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Walks over what an object refers to: records, lists, maps, arrays, and classes open to us.
 * Breadth-first with a queue of its own, so that depth needs no stack; sees each object once and
 * gives up after a fixed number of them. Runs user code nowhere but in {@code writeReplace} of
 * lambdas.
 */
final class ObjectWalk {
  private static final int MAX_OBJECTS = 100_000;

  private record Step(Object object, @Nullable Step from, String label) {
    String path() {
      StringBuilder text = new StringBuilder();
      for (Step step = this; step != null; step = step.from()) {
        text.insert(0, step.label());
      }
      return text.toString();
    }
  }

  private final BiPredicate<Object, String> found;
  private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
  private final List<Step> queue = new ArrayList<>();

  private ObjectWalk(BiPredicate<Object, String> found) {
    this.found = found;
  }

  /**
   * Walks until the visitor is content.
   *
   * @param rootName how paths begin
   * @param root where to begin
   * @param found looks at an object; true ends the walk. Its text is asked for only then
   * @return the path to the object that ended the walk, or null
   */
  static @Nullable String find(
      String rootName, @Nullable Object root, BiPredicate<Object, String> found) {
    if (root == null || isLeaf(root)) {
      return null;
    }
    return new ObjectWalk(found).walk(rootName, root);
  }

  private @Nullable String walk(String rootName, Object root) {
    seen.add(root);
    queue.add(new Step(root, null, rootName));
    for (int next = 0; next < queue.size() && queue.size() < MAX_OBJECTS; next++) {
      Step step = queue.get(next);
      if (found.test(step.object(), step.label())) {
        return step.path();
      }
      expand(step);
    }
    return null;
  }

  private static boolean isLeaf(Object object) {
    return object instanceof String
        || object instanceof Number
        || object instanceof Boolean
        || object instanceof Class<?>
        || object instanceof Enum<?>;
  }

  private void visit(Step from, @Nullable Object object, String label) {
    if (object != null && !isLeaf(object) && seen.add(object)) {
      queue.add(new Step(object, from, label));
    }
  }

  private void expand(Step step) {
    Object object = step.object();
    Class<?> type = object.getClass();
    if (object instanceof MemorySegment || object instanceof Buffer) {
      return;
    }
    if (type.isArray()) {
      if (!type.getComponentType().isPrimitive()) {
        for (int i = 0; i < Array.getLength(object); i++) {
          visit(step, Array.get(object, i), "[" + i + "]");
        }
      }
    } else if (isOfTheJdk(type) && object instanceof Map<?, ?> map) {
      map.forEach(
          (key, value) -> {
            visit(step, key, ".key");
            visit(step, value, ".value");
          });
    } else if (isOfTheJdk(type) && object instanceof Collection<?> elements) {
      int index = 0;
      for (Object element : elements) {
        visit(step, element, "[" + index + "]");
        index++;
      }
    } else if (object instanceof SerializedLambda lambda) {
      for (int i = 0; i < lambda.getCapturedArgCount(); i++) {
        visit(step, lambda.getCapturedArg(i), ".capturedArgument[" + i + "]");
      }
    } else if (type.isHidden()) {
      expandLambda(step, object);
    } else {
      expandFields(step, object);
    }
  }

  private void expandLambda(Step step, Object object) {
    try {
      Method replace = object.getClass().getDeclaredMethod("writeReplace");
      replace.setAccessible(true);
      visit(step, replace.invoke(object), "");
    } catch (ReflectiveOperationException | InaccessibleObjectException e) {
      expandFields(step, object);
    }
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
