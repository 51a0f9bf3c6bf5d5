package dev.holdfast.cuda.internal;

import java.lang.reflect.Constructor;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import org.jspecify.annotations.Nullable;

/** How to read a record's components and make it again. Immutable; found once for each class. */
final class RecordShape {
  private static final ClassValue<RecordShape> SHAPES =
      new ClassValue<>() {
        @Override
        protected RecordShape computeValue(Class<?> type) {
          return new RecordShape(type);
        }
      };

  private final Class<?> type;
  private final RecordComponent[] components;
  private final Method[] accessors;
  private final Constructor<?> constructor;

  private RecordShape(Class<?> type) {
    this.type = type;
    this.components = type.getRecordComponents();
    this.accessors = new Method[components.length];
    Class<?>[] types = new Class<?>[components.length];
    try {
      for (int i = 0; i < components.length; i++) {
        types[i] = components[i].getType();
        accessors[i] = components[i].getAccessor();
        accessors[i].setAccessible(true);
      }
      this.constructor = type.getDeclaredConstructor(types);
      constructor.setAccessible(true);
    } catch (NoSuchMethodException e) {
      throw new AssertionError("a record without its canonical constructor: " + type, e);
    } catch (InaccessibleObjectException e) {
      throw new IllegalArgumentException(
          "a record cannot be looked into: class=%s; open its package to dev.holdfast.cuda"
              .formatted(type.getName()),
          e);
    }
  }

  static RecordShape of(Class<?> type) {
    return SHAPES.get(type);
  }

  int size() {
    return components.length;
  }

  String name(int index) {
    return components[index].getName();
  }

  Class<?> type(int index) {
    return components[index].getType();
  }

  @Nullable Object get(Object item, int index) {
    try {
      return accessors[index].invoke(item);
    } catch (InvocationTargetException e) {
      throw unchecked(e.getCause());
    } catch (IllegalAccessException e) {
      throw new LinkageError("a record cannot be read: class=" + type.getName(), e);
    }
  }

  Object make(@Nullable Object[] values) {
    try {
      return constructor.newInstance(values);
    } catch (InvocationTargetException e) {
      throw unchecked(e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("a record cannot be made: class=" + type.getName(), e);
    }
  }

  private IllegalArgumentException unchecked(@Nullable Throwable thrown) {
    if (thrown instanceof RuntimeException exception) {
      throw exception;
    }
    if (thrown instanceof Error error) {
      throw error;
    }
    return new IllegalArgumentException("a record failed: class=" + type.getName(), thrown);
  }
}
