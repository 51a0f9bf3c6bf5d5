package dev.holdfast.arena.payload;

import java.io.ObjectStreamClass;
import java.io.ObjectStreamField;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Takes records of one class apart and makes them: the fields are read, as serialization does, and
 * the canonical constructor is called. Immutable.
 *
 * <p>That needs deep reflection. It is there on the class path and for packages that their module
 * opens to this one; records of other packages are left to Java serialization.
 */
final class RecordAccess {
  private final ObjectStreamClass descriptor;
  private final RecordComponent[] components;
  private final char[] codes;
  private final MethodHandle[] getters;
  private final MethodHandle constructor;

  private RecordAccess(
      ObjectStreamClass descriptor,
      RecordComponent[] components,
      char[] codes,
      MethodHandle[] getters,
      MethodHandle constructor) {
    this.descriptor = descriptor;
    this.components = components;
    this.codes = codes;
    this.getters = getters;
    this.constructor = constructor;
  }

  /** Returns the access to a record class, or null when its package is not open to us. */
  static @Nullable RecordAccess of(Class<?> type) {
    try {
      RecordAccess.class.getModule().addReads(type.getModule());
      MethodHandles.Lookup lookup = MethodHandles.privateLookupIn(type, MethodHandles.lookup());
      ObjectStreamClass descriptor = ObjectStreamClass.lookup(type);
      RecordComponent[] components = type.getRecordComponents();
      ObjectStreamField[] fields = descriptor.getFields();
      if (fields.length != components.length) {
        return null;
      }
      char[] codes = new char[fields.length];
      MethodHandle[] getters = new MethodHandle[fields.length];
      for (int i = 0; i < fields.length; i++) {
        codes[i] = fields[i].getTypeCode();
        getters[i] = getter(lookup, type, fields[i].getName(), fieldType(fields[i], components));
      }
      return new RecordAccess(
          descriptor, components, codes, getters, constructor(lookup, type, components));
    } catch (ReflectiveOperationException | IllegalArgumentException | LinkageError e) {
      return null;
    }
  }

  private static Class<?> fieldType(ObjectStreamField field, RecordComponent[] components)
      throws NoSuchFieldException {
    for (RecordComponent component : components) {
      if (component.getName().equals(field.getName())) {
        return component.getType();
      }
    }
    throw new NoSuchFieldException(field.getName());
  }

  private static MethodHandle getter(
      MethodHandles.Lookup lookup, Class<?> type, String name, Class<?> fieldType)
      throws ReflectiveOperationException {
    Class<?> result = fieldType.isPrimitive() ? fieldType : Object.class;
    return lookup
        .findGetter(type, name, fieldType)
        .asType(MethodType.methodType(result, Object.class));
  }

  private static MethodHandle constructor(
      MethodHandles.Lookup lookup, Class<?> type, RecordComponent[] components)
      throws ReflectiveOperationException {
    Class<?>[] types =
        Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
    return lookup
        .findConstructor(type, MethodType.methodType(void.class, types))
        .asSpreader(Object[].class, types.length)
        .asType(MethodType.methodType(Object.class, Object[].class));
  }

  ObjectStreamClass descriptor() {
    return descriptor;
  }

  /** The components in the order of the constructor. */
  RecordComponent[] components() {
    return components.clone();
  }

  /** How many components there are. */
  int count() {
    return codes.length;
  }

  /** The type of a component in the order of the descriptor, as a descriptor gives it. */
  char code(int index) {
    return codes[index];
  }

  /** Reads a component in the order of the descriptor; the handle takes an {@code Object}. */
  MethodHandle getter(int index) {
    return getters[index];
  }

  /** Makes a record; the handle takes the components in an {@code Object[]}. */
  MethodHandle constructor() {
    return constructor;
  }
}
