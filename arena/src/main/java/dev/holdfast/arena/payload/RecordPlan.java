package dev.holdfast.arena.payload;

import java.io.InvalidClassException;
import java.io.InvalidObjectException;
import java.io.ObjectStreamClass;
import java.io.ObjectStreamField;
import java.lang.invoke.MethodHandle;
import java.lang.reflect.RecordComponent;
import org.jspecify.annotations.Nullable;

/**
 * How the components of a record that was written are given to the constructor of the class that is
 * here: by name, as serialization does. A component that is not here is dropped, one that did not
 * come is zero or null. Immutable.
 */
final class RecordPlan {
  private static final int DROPPED = -1;

  private final char[] codes;
  private final int[] targets;
  private final @Nullable Object[] defaults;
  private final MethodHandle constructor;

  private RecordPlan(
      char[] codes, int[] targets, @Nullable Object[] defaults, MethodHandle constructor) {
    this.codes = codes;
    this.targets = targets;
    this.defaults = defaults;
    this.constructor = constructor;
  }

  static RecordPlan of(Class<?> type, ObjectStreamClass written) throws InvalidClassException {
    RecordAccess access = Shape.of(type).recordAccess();
    if (access == null) {
      throw new InvalidClassException(
          type.getName(),
          "it was written as a record without serialization code in a package that is open, and is"
              + " none here; open its package to module dev.holdfast.arena on both sides");
    }
    RecordComponent[] components = access.components();
    @Nullable Object[] defaults = new Object[components.length];
    for (int i = 0; i < defaults.length; i++) {
      defaults[i] = zeroOf(components[i].getType());
    }
    ObjectStreamField[] fields = written.getFields();
    char[] codes = new char[fields.length];
    int[] targets = new int[fields.length];
    for (int i = 0; i < fields.length; i++) {
      codes[i] = fields[i].getTypeCode();
      targets[i] = target(type, fields[i], components);
    }
    return new RecordPlan(codes, targets, defaults, access.constructor());
  }

  private static int target(Class<?> type, ObjectStreamField field, RecordComponent[] components)
      throws InvalidClassException {
    for (int i = 0; i < components.length; i++) {
      if (components[i].getName().equals(field.getName())) {
        Class<?> here = components[i].getType();
        boolean primitive = field.isPrimitive() || here.isPrimitive();
        if (primitive && !here.descriptorString().equals(String.valueOf(field.getTypeCode()))) {
          throw new InvalidClassException(
              type.getName(), "a component has another type here: name=" + field.getName());
        }
        return i;
      }
    }
    return DROPPED;
  }

  private static @Nullable Object zeroOf(Class<?> type) {
    return switch (type.descriptorString().charAt(0)) {
      case 'Z' -> false;
      case 'B' -> (byte) 0;
      case 'S' -> (short) 0;
      case 'C' -> (char) 0;
      case 'I' -> 0;
      case 'J' -> 0L;
      case 'F' -> 0f;
      case 'D' -> 0d;
      default -> null;
    };
  }

  /** How many components were written. */
  int count() {
    return codes.length;
  }

  /** The type of a component that was written, as a descriptor gives it. */
  char code(int index) {
    return codes[index];
  }

  @Nullable Object[] newValues() {
    return defaults.clone();
  }

  void set(@Nullable Object[] values, int index, @Nullable Object value) {
    int target = targets[index];
    if (target != DROPPED) {
      values[target] = value;
    }
  }

  Object make(@Nullable Object[] values) throws InvalidObjectException {
    try {
      return (Object) constructor.invokeExact(values);
    } catch (Exception e) {
      InvalidObjectException invalid = new InvalidObjectException(e.getMessage());
      invalid.initCause(e);
      throw invalid;
    } catch (Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("a record could not be made", e);
    }
  }
}
