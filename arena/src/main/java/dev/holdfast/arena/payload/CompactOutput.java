package dev.holdfast.arena.payload;

import static dev.holdfast.arena.payload.CompactFormat.folded;

import java.io.IOException;
import java.io.InvalidObjectException;
import java.io.OutputStream;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.Collection;
import java.util.ConcurrentModificationException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Walks an item and writes it in the {@linkplain CompactFormat compact format}. One thread's.
 *
 * <p>Each object that gets a handle is in the table with it, each object that the stream has seen
 * with {@link #IN_STREAM}. An immutable collection can be made only when its elements are there, so
 * while it is being written it stands as {@link #OPEN}, and to come to it again is an error.
 */
final class CompactOutput implements ItemObjectOutput.Shared {
  private static final int IN_STREAM = -2;
  private static final int OPEN = -3;
  private static final int LATIN_MAX = 0xFF;
  private static final BinarySink NO_SINK = leaf -> BinarySink.INLINE;
  private static final RecordBuffer NO_BUFFER = new RecordBuffer();

  private final SentDescriptors descriptors;
  private final IdentityTable table = new IdentityTable();
  private final OutputRelay relay = new OutputRelay();

  private @Nullable ItemObjectOutput stream;
  private BinarySink sink = NO_SINK;
  private RecordBuffer out = NO_BUFFER;
  private int handles;
  private boolean streamUsed;

  CompactOutput(SentDescriptors descriptors) {
    this.descriptors = descriptors;
  }

  void writeItem(@Nullable Object item, BinarySink target, RecordBuffer body) throws IOException {
    sink = target;
    out = body;
    handles = 0;
    streamUsed = false;
    int start = body.size();
    boolean done = false;
    try {
      write(item);
      forgetStream(body.size() - start <= CompactEnvelopeCodec.REUSE_LIMIT_BYTES);
      done = true;
    } finally {
      if (!done) {
        stream = null;
      }
      relay.target(OutputStream.nullOutputStream());
      table.clear();
      sink = NO_SINK;
      out = NO_BUFFER;
    }
  }

  private void forgetStream(boolean reusable) throws IOException {
    ItemObjectOutput used = stream;
    if (used != null && streamUsed) {
      relay.target(OutputStream.nullOutputStream());
      if (reusable) {
        used.forget();
      } else {
        stream = null;
      }
    }
  }

  private void write(@Nullable Object value) throws IOException {
    switch (value) {
      case null -> out.write(CompactFormat.NULL);
      case String text -> writeString(text);
      case Integer number -> writeNumber(CompactFormat.INT, folded(number));
      case Long number -> writeNumber(CompactFormat.LONG, folded(number));
      case Boolean truth -> out.write(truth ? CompactFormat.TRUE : CompactFormat.FALSE);
      case Double number -> {
        out.write(CompactFormat.DOUBLE);
        out.writeFixed(Double.doubleToRawLongBits(number));
      }
      case Float number -> {
        out.write(CompactFormat.FLOAT);
        out.writeFixed(Float.floatToRawIntBits(number));
      }
      case Byte number -> {
        out.write(CompactFormat.BYTE);
        out.write(number);
      }
      case Short number -> writeNumber(CompactFormat.SHORT, folded(number));
      case Character character -> writeNumber(CompactFormat.CHAR, character);
      default -> writeObject(value);
    }
  }

  private void writeNumber(byte tag, long number) {
    out.write(tag);
    out.writeVarint(number);
  }

  private void writeString(String text) {
    int known = table.get(text);
    if (known >= 0) {
      writeNumber(CompactFormat.BACK, known);
      return;
    }
    table.put(text, handles++);
    if (isLatin(text)) {
      writeNumber(CompactFormat.LATIN, text.length());
      out.writeAscii(text);
    } else {
      writeNumber(CompactFormat.WIDE, text.length());
      out.writeChars(text);
    }
  }

  private static boolean isLatin(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) > LATIN_MAX) {
        return false;
      }
    }
    return true;
  }

  private void writeObject(Object object) throws IOException {
    int known = table.get(object);
    if (known >= 0) {
      writeNumber(CompactFormat.BACK, known);
      return;
    }
    if (known == OPEN) {
      throw new InvalidObjectException(
          "a cycle leads through an immutable collection: class=" + object.getClass().getName());
    }
    int marker = sink.offer(object);
    if (marker != BinarySink.INLINE) {
      writeNumber(CompactFormat.BINARY, marker);
    } else if (known == IN_STREAM || !writeShape(object)) {
      writeToStream(object);
    }
  }

  /** Writes an object whose shape is a common one, or nothing. */
  private boolean writeShape(Object object) throws IOException {
    Shape shape = Shape.of(object.getClass());
    return switch (shape.kind()) {
      case ARRAY_LIST -> writeElements(CompactFormat.ARRAY_LIST, (ArrayList<?>) object);
      case FIXED_LIST -> writeFixedList((List<?>) object);
      case FIXED_SET -> writeFixedSet((Collection<?>) object);
      case FIXED_MAP -> writeFixedMap((Map<?, ?>) object);
      case HASH_MAP -> writeEntries(CompactFormat.HASH_MAP, (Map<?, ?>) object);
      case LINKED_HASH_MAP ->
          !ordersByAccess((LinkedHashMap<?, ?>) object)
              && writeEntries(CompactFormat.LINKED_HASH_MAP, (Map<?, ?>) object);
      case TREE_MAP ->
          ((TreeMap<?, ?>) object).comparator() == null
              && writeEntries(CompactFormat.TREE_MAP, (Map<?, ?>) object);
      case HASH_SET -> writeElements(CompactFormat.HASH_SET, (Collection<?>) object);
      case LINKED_HASH_SET -> writeElements(CompactFormat.LINKED_HASH_SET, (Collection<?>) object);
      case ARRAY -> writeArray((Object[]) object);
      case RECORD -> {
        RecordAccess access = shape.recordAccess();
        yield access != null && writeRecord(object, access);
      }
      case ENUM -> writeEnum((Enum<?>) object);
      case STREAM -> false;
    };
  }

  private boolean writeElements(byte tag, Collection<?> elements) throws IOException {
    table.put(elements, handles++);
    writeAll(tag, elements);
    return true;
  }

  private void writeAll(byte tag, Collection<?> elements) throws IOException {
    int size = elements.size();
    writeNumber(tag, size);
    int written = 0;
    for (Object element : elements) {
      write(element);
      written++;
    }
    requireSame(size, written);
  }

  private boolean writeEntries(byte tag, Map<?, ?> map) throws IOException {
    table.put(map, handles++);
    writeAllEntries(tag, map);
    return true;
  }

  private void writeAllEntries(byte tag, Map<?, ?> map) throws IOException {
    int size = map.size();
    writeNumber(tag, size);
    int written = 0;
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      write(entry.getKey());
      write(entry.getValue());
      written++;
    }
    requireSame(size, written);
  }

  private static void requireSame(int size, int written) {
    if (size != written) {
      throw new ConcurrentModificationException(
          "a collection changed while it was written: size=%d written=%d".formatted(size, written));
    }
  }

  /**
   * A list that allows nulls is of the same class and is told apart by what copying makes of it.
   */
  @SuppressWarnings("ReferenceEquality") // identity is what is asked for
  private static boolean allowsNulls(List<?> list) {
    try {
      return List.copyOf(list) != list;
    } catch (NullPointerException e) {
      return true;
    }
  }

  private boolean writeFixedList(List<?> list) throws IOException {
    int handle = open(list);
    writeAll(allowsNulls(list) ? CompactFormat.LIST_WITH_NULLS : CompactFormat.LIST, list);
    table.put(list, handle);
    return true;
  }

  private boolean writeFixedSet(Collection<?> set) throws IOException {
    int handle = open(set);
    writeAll(CompactFormat.SET, set);
    table.put(set, handle);
    return true;
  }

  private boolean writeFixedMap(Map<?, ?> map) throws IOException {
    int handle = open(map);
    writeAllEntries(CompactFormat.MAP, map);
    table.put(map, handle);
    return true;
  }

  private int open(Object collection) {
    table.put(collection, OPEN);
    return handles++;
  }

  /**
   * Whether reading from a map changes its order. The map does not tell, so a clone is asked, which
   * costs about as much as to walk the map once.
   */
  @SuppressWarnings({"unchecked", "NonApiType"}) // the clone is emptied before anything is put
  private static boolean ordersByAccess(LinkedHashMap<?, ?> map) {
    LinkedHashMap<Object, Object> probe = (LinkedHashMap<Object, Object>) map.clone();
    probe.clear();
    probe.put(1, 1);
    probe.put(2, 2);
    Object read = probe.get(1);
    return !probe.firstEntry().getKey().equals(read);
  }

  private boolean writeArray(Object[] array) throws IOException {
    Class<?> type = array.getClass();
    if (type == Object[].class || type == String[].class) {
      table.put(array, handles++);
      out.write(type == Object[].class ? CompactFormat.OBJECTS : CompactFormat.STRINGS);
    } else {
      int id = descriptors.idOf(type);
      if (id == SentDescriptors.IN_FULL) {
        return false;
      }
      table.put(array, handles++);
      writeNumber(CompactFormat.ARRAY, id);
    }
    out.writeVarint(array.length);
    for (Object element : array) {
      write(element);
    }
    return true;
  }

  private boolean writeEnum(Enum<?> constant) throws IOException {
    int id = descriptors.idOf(constant.getDeclaringClass());
    if (id == SentDescriptors.IN_FULL) {
      return false;
    }
    writeNumber(CompactFormat.ENUM, id);
    writeString(constant.name());
    return true;
  }

  private boolean writeRecord(Object object, RecordAccess access) throws IOException {
    int id = descriptors.idOf(access.descriptor());
    if (id == SentDescriptors.IN_FULL) {
      return false;
    }
    table.put(object, handles++);
    writeNumber(CompactFormat.RECORD, id);
    for (int i = 0; i < access.count(); i++) {
      writeComponent(object, access.code(i), access.getter(i));
    }
    return true;
  }

  private void writeComponent(Object object, char code, MethodHandle getter) throws IOException {
    switch (code) {
      case 'L', '[' -> write(objectOf(object, getter));
      default -> writePrimitive(object, code, getter);
    }
  }

  private static @Nullable Object objectOf(Object object, MethodHandle getter) {
    try {
      return (Object) getter.invokeExact(object);
    } catch (Throwable e) {
      throw unreadable(e);
    }
  }

  private void writePrimitive(Object object, char code, MethodHandle getter) {
    try {
      switch (code) {
        case 'Z' -> out.write((boolean) getter.invokeExact(object) ? 1 : 0);
        case 'B' -> out.write((byte) getter.invokeExact(object));
        case 'S' -> out.writeVarint(folded((short) getter.invokeExact(object)));
        case 'C' -> out.writeVarint((char) getter.invokeExact(object));
        case 'I' -> out.writeVarint(folded((int) getter.invokeExact(object)));
        case 'J' -> out.writeVarint(folded((long) getter.invokeExact(object)));
        case 'F' -> out.writeFixed(Float.floatToRawIntBits((float) getter.invokeExact(object)));
        case 'D' -> out.writeFixed(Double.doubleToRawLongBits((double) getter.invokeExact(object)));
        default -> throw new IllegalStateException("a component has an unknown type: " + code);
      }
    } catch (Throwable e) {
      throw unreadable(e);
    }
  }

  private static RuntimeException unreadable(Throwable thrown) {
    return switch (thrown) {
      case RuntimeException e -> e;
      case Error e -> throw e;
      default -> new IllegalStateException("a component cannot be read", thrown);
    };
  }

  private void writeToStream(Object object) throws IOException {
    out.write(CompactFormat.STREAM);
    relay.target(out);
    streamUsed = true;
    ItemObjectOutput target = stream;
    if (target == null) {
      target = new ItemObjectOutput(relay, descriptors);
      stream = target;
    }
    target.writePart(object, sink, this);
  }

  @Override
  public int handleOf(Object object) {
    int known = table.get(object);
    if (known == IdentityTable.ABSENT) {
      table.put(object, IN_STREAM);
    }
    return Math.max(known, NOT_SHARED);
  }
}
