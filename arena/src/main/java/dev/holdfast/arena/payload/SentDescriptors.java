package dev.holdfast.arena.payload;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of the class descriptors that the other side knows. One thread's.
 *
 * <p>A head holds the first new number, how many follow, and for each the length and the bytes of
 * an object stream with nothing but the descriptor. New numbers count only when their record was
 * sent, otherwise they are given again.
 */
final class SentDescriptors {
  /** The number of descriptors that are written where they are used. */
  static final int IN_FULL = 0;

  /** Classes stay loaded as long as they have a number, so there is an end to numbers. */
  private static final int MAX_NUMBERED = 4096;

  private final Map<Class<?>, Integer> ids = new HashMap<>();
  private final List<ObjectStreamClass> fresh = new ArrayList<>();

  int idOf(Class<?> type) {
    Integer known = ids.get(type);
    return known == null ? newId(type, ObjectStreamClass.lookup(type)) : known;
  }

  int idOf(ObjectStreamClass descriptor) {
    Class<?> type = descriptor.forClass();
    if (type == null) {
      return IN_FULL;
    }
    Integer known = ids.get(type);
    return known == null ? newId(type, descriptor) : known;
  }

  private int newId(Class<?> type, @Nullable ObjectStreamClass descriptor) {
    if (descriptor == null || ids.size() >= MAX_NUMBERED) {
      return IN_FULL;
    }
    int id = ids.size() + 1;
    ids.put(type, id);
    fresh.add(descriptor);
    return id;
  }

  void writeFresh(OutputStream head) throws IOException {
    if (fresh.isEmpty()) {
      return;
    }
    writeNumber(head, ids.size() - fresh.size() + 1);
    writeNumber(head, fresh.size());
    for (ObjectStreamClass descriptor : fresh) {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
        out.writeObject(descriptor);
      }
      writeNumber(head, bytes.size());
      bytes.writeTo(head);
    }
  }

  private static void writeNumber(OutputStream head, int number) throws IOException {
    byte[] bytes = new byte[Varint.MAX_BYTES];
    head.write(bytes, 0, Varint.write(bytes, 0, number));
  }

  void keepFresh() {
    fresh.clear();
  }

  void forgetFresh() {
    for (ObjectStreamClass descriptor : fresh) {
      ids.remove(descriptor.forClass());
    }
    fresh.clear();
  }
}
