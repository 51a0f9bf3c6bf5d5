package dev.holdfast.arena.payload;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputStream;
import java.io.ObjectStreamClass;
import java.io.StreamCorruptedException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The class descriptors that came in heads. The channel's thread adds, any thread reads.
 *
 * <p>An item is read after its record was registered, so a thread that was given the envelope sees
 * the table that the envelope needs; the array is replaced as a whole and published by a volatile
 * write. What a descriptor was parsed to and the class it was resolved to are remembered without a
 * lock: two threads may do it at once and come to the same.
 */
final class KnownDescriptors {
  private static final int MIN_ENTRY_BYTES = 2;

  private volatile Known[] table = {};

  /** Takes note of a head. */
  void register(byte[] head) throws StreamCorruptedException {
    ByteCursor cursor = new ByteCursor(head, 0, head.length);
    Known[] before = table;
    long first = cursor.varint();
    if (first != before.length + 1L) {
      throw new StreamCorruptedException(
          "class descriptors are missing: first=%d expected=%d"
              .formatted(first, before.length + 1));
    }
    int count = cursor.length(cursor.remaining() / MIN_ENTRY_BYTES);
    Known[] after = Arrays.copyOf(before, before.length + count);
    for (int i = before.length; i < after.length; i++) {
      after[i] = new Known(cursor.copy(cursor.length(cursor.remaining())));
    }
    if (cursor.remaining() != 0) {
      throw new StreamCorruptedException("class descriptors have bytes left over");
    }
    table = after;
  }

  Known get(int id) throws StreamCorruptedException {
    Known[] now = table;
    if (id < 1 || id > now.length) {
      throw new StreamCorruptedException(
          "a class descriptor is unknown: number=%d count=%d".formatted(id, now.length));
    }
    return now[id - 1];
  }

  /** One descriptor. */
  static final class Known {
    private final byte[] bytes;
    private volatile @Nullable ObjectStreamClass model;
    private volatile @Nullable Class<?> type;
    private volatile @Nullable RecordPlan plan;
    private volatile @Nullable Map<String, Object> constants;

    private Known(byte[] bytes) {
      this.bytes = bytes;
    }

    ObjectStreamClass model() throws IOException {
      ObjectStreamClass parsed = model;
      if (parsed == null) {
        parsed = parse();
        model = parsed;
      }
      return parsed;
    }

    private ObjectStreamClass parse() throws IOException {
      try (ObjectInputStream in = new DescriptorInput(new ByteArrayInputStream(bytes))) {
        if (in.readObject() instanceof ObjectStreamClass parsed) {
          return parsed;
        }
      } catch (ClassNotFoundException | RuntimeException e) {
        StreamCorruptedException damaged =
            new StreamCorruptedException("a class descriptor cannot be read");
        damaged.initCause(e);
        throw damaged;
      }
      throw new StreamCorruptedException("a class descriptor is something else");
    }

    /** The class, which is looked up once. */
    Class<?> resolve(ClassLoader loader) throws IOException, ClassNotFoundException {
      Class<?> resolved = type;
      if (resolved == null) {
        resolved = find(model().getName(), loader);
        type = resolved;
      }
      return resolved;
    }

    /** How to make a record of the class, which must be resolved. */
    RecordPlan plan(Class<?> resolved) throws IOException {
      RecordPlan made = plan;
      if (made == null) {
        made = RecordPlan.of(resolved, model());
        plan = made;
      }
      return made;
    }

    /** The constants of the class by name. */
    Map<String, Object> constants(Class<?> resolved) {
      Map<String, Object> made = constants;
      if (made == null) {
        made = new HashMap<>();
        if (resolved.getEnumConstants() instanceof Enum<?>[] all) {
          for (Enum<?> constant : all) {
            made.put(constant.name(), constant);
          }
        }
        constants = made;
      }
      return made;
    }
  }

  static Class<?> find(String name, ClassLoader loader) throws ClassNotFoundException {
    Class<?> primitive = Class.forPrimitiveName(name);
    return primitive == null ? Class.forName(name, false, loader) : primitive;
  }

  /** Reads a descriptor and looks up no class: that is left to the stream which uses it. */
  private static final class DescriptorInput extends ObjectInputStream {
    DescriptorInput(InputStream in) throws IOException {
      super(in);
    }

    @Override
    protected Class<?> resolveClass(ObjectStreamClass descriptor) throws ClassNotFoundException {
      throw new ClassNotFoundException(descriptor.getName());
    }
  }
}
