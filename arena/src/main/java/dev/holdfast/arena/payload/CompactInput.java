package dev.holdfast.arena.payload;

import static dev.holdfast.arena.payload.CompactFormat.unfolded;

import java.io.IOException;
import java.io.InvalidObjectException;
import java.io.ObjectInputFilter;
import java.io.StreamCorruptedException;
import java.lang.reflect.Array;
import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
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
 * Reads an item in the {@linkplain CompactFormat compact format}. One thread's at a time.
 *
 * <p>The bytes may be damaged. Each element takes a byte of its own, so the counts of all
 * collections and arrays together are at most the bytes of the body; a count that exceeds what is
 * left of them is refused before anything is made. Every tag takes a byte, so reading ends.
 */
final class CompactInput implements ItemObjectInput.Shared {
  private static final int FIRST_HANDLES = 64;
  private static final int KEPT_HANDLES = 4096;
  private static final int FIRST_CAPACITY = 16;
  private static final float LOAD_FACTOR = 0.75f;
  private static final ByteCursor NOTHING = new ByteCursor(new byte[0], 0, 0);

  /** Stands for a record whose components are being read: a reference to it is null. */
  private static final Object OPEN_RECORD = new Object();

  /** Stands for a collection that is made when its elements are there. */
  private static final Object OPEN_COLLECTION = new Object();

  /** Stands in the set of classes for the immutable collections, as it does in an object stream. */
  private static final Class<?> SERIAL_FORM = serialForm();

  private final KnownDescriptors descriptors;
  private final ItemFilter filter;
  private final ClassLoader loader;

  private @Nullable ItemObjectInput stream;
  private @Nullable FilterQuestions questions;
  private @Nullable BinarySource source;
  private ByteCursor in = NOTHING;
  private int size;
  private int budget;
  private @Nullable Object[] handles = new Object[FIRST_HANDLES];
  private int handleCount;
  private boolean streamUsed;
  private long streamBytes;

  CompactInput(KnownDescriptors descriptors, ItemFilter filter, ClassLoader loader) {
    this.descriptors = descriptors;
    this.filter = filter;
    this.loader = loader;
  }

  private static Class<?> serialForm() {
    try {
      return Class.forName("java.util.CollSer");
    } catch (ClassNotFoundException e) {
      return List.class;
    }
  }

  @Nullable Object readItem(byte[] body, BinarySource binaries, boolean filtered)
      throws IOException, ClassNotFoundException {
    in = new ByteCursor(body, 0, body.length);
    size = body.length;
    budget = body.length;
    source = binaries;
    streamUsed = false;
    streamBytes = 0;
    filter.begin(body.length);
    if (filtered) {
      ObjectInputFilter effective = openStream().getObjectInputFilter();
      questions = effective == null ? null : new FilterQuestions(effective);
    }
    Object item = read();
    if (in.remaining() != 0) {
      throw new StreamCorruptedException("bytes are left behind the item: bytes=" + in.remaining());
    }
    return item;
  }

  boolean limitExceeded() {
    return filter.limitExceeded();
  }

  /** Drops all references to what was read. */
  void forget() throws IOException, ClassNotFoundException {
    ItemObjectInput used = stream;
    if (used != null && streamUsed) {
      used.forget();
    }
    if (handles.length > KEPT_HANDLES) {
      handles = new Object[FIRST_HANDLES];
    } else {
      Arrays.fill(handles, 0, handleCount, null);
    }
    handleCount = 0;
    in = NOTHING;
    source = null;
    questions = null;
  }

  private @Nullable Object read() throws IOException, ClassNotFoundException {
    FilterQuestions asked = questions;
    if (asked == null) {
      return readValue();
    }
    asked.enter();
    Object value = readValue();
    asked.leave();
    return value;
  }

  private @Nullable Object readValue() throws IOException, ClassNotFoundException {
    byte tag = in.oneByte();
    return switch (tag) {
      case CompactFormat.NULL -> null;
      case CompactFormat.TRUE, CompactFormat.FALSE -> boxed(tag == CompactFormat.TRUE);
      case CompactFormat.BYTE -> boxed(in.oneByte());
      case CompactFormat.SHORT -> boxed((short) signed(Short.MIN_VALUE, Short.MAX_VALUE));
      case CompactFormat.CHAR -> boxed((char) in.length(Character.MAX_VALUE));
      case CompactFormat.INT -> boxed((int) signed(Integer.MIN_VALUE, Integer.MAX_VALUE));
      case CompactFormat.LONG -> boxed(signed(Long.MIN_VALUE, Long.MAX_VALUE));
      case CompactFormat.FLOAT -> boxed(Float.intBitsToFloat(in.fixedInt()));
      case CompactFormat.DOUBLE -> boxed(Double.longBitsToDouble(in.fixedLong()));
      case CompactFormat.LATIN -> complete(in.ascii(in.length(in.remaining())));
      case CompactFormat.WIDE -> complete(in.chars(in.length(in.remaining() / Character.BYTES)));
      case CompactFormat.BACK -> back();
      case CompactFormat.BINARY -> binary();
      case CompactFormat.ARRAY_LIST -> arrayList();
      case CompactFormat.LIST, CompactFormat.LIST_WITH_NULLS, CompactFormat.SET ->
          fixedCollection(tag);
      case CompactFormat.HASH_SET, CompactFormat.LINKED_HASH_SET -> set(tag);
      case CompactFormat.OBJECTS -> array(Object[].class);
      case CompactFormat.STRINGS -> array(String[].class);
      case CompactFormat.MAP -> fixedMap();
      case CompactFormat.HASH_MAP, CompactFormat.LINKED_HASH_MAP -> map(tag);
      case CompactFormat.TREE_MAP -> treeMap();
      case CompactFormat.ARRAY -> array(known().resolve(loader));
      case CompactFormat.RECORD -> record();
      case CompactFormat.ENUM -> constant();
      case CompactFormat.STREAM -> fromStream();
      default -> throw new StreamCorruptedException("a tag is unknown: tag=" + tag);
    };
  }

  private Object boxed(Object value) throws IOException {
    askAboutType(value.getClass());
    return value;
  }

  private long signed(long min, long max) throws StreamCorruptedException {
    long value = unfolded(in.bits());
    if (value < min || value > max) {
      throw new StreamCorruptedException("a number does not fit its type: number=" + value);
    }
    return value;
  }

  /* Handles. */

  private int open(Object placeholder) {
    if (handleCount == handles.length) {
      handles = Arrays.copyOf(handles, 2 * handleCount);
    }
    handles[handleCount] = placeholder;
    return handleCount++;
  }

  private Object complete(Object value) {
    var _ = open(value);
    return value;
  }

  private @Nullable Object back() throws IOException {
    Object value = shared(in.length(Integer.MAX_VALUE));
    FilterQuestions asked = questions;
    if (asked != null) {
      asked.askAboutNothing(bytesRead());
    }
    return value;
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // placeholders are told by identity
  public @Nullable Object shared(int handle) throws IOException {
    if (handle < 0 || handle >= handleCount) {
      throw new StreamCorruptedException(
          "a handle is unknown: handle=%d count=%d".formatted(handle, handleCount));
    }
    Object value = handles[handle];
    if (value == OPEN_COLLECTION) {
      throw new InvalidObjectException("a cycle leads through an immutable collection");
    }
    return value == OPEN_RECORD ? null : value;
  }

  /* Questions to the filter. */

  private int bytesRead() {
    return size - in.remaining();
  }

  private void askAboutType(Class<?> type) throws IOException {
    FilterQuestions asked = questions;
    if (asked != null) {
      asked.askAboutType(type, bytesRead());
    }
  }

  private void askAboutArray(Class<?> type, long length) throws IOException {
    FilterQuestions asked = questions;
    if (asked != null) {
      asked.askAboutArray(type, length, bytesRead());
    }
  }

  /** A hash table has the capacity that serialization gives it, and is asked about as an array. */
  private void askAboutTable(int capacity) throws IOException {
    askAboutArray(Map.Entry[].class, Long.highestOneBit(Math.max(1, 2L * capacity - 1)));
  }

  /* Containers. */

  /** Reads a count of parts that take at least so many bytes each. */
  private int count(int bytesEach) throws StreamCorruptedException {
    int count = in.length(Math.min(in.remaining(), budget) / bytesEach);
    budget -= count * bytesEach;
    return count;
  }

  private Object arrayList() throws IOException, ClassNotFoundException {
    askAboutType(ArrayList.class);
    int count = count(1);
    if (count > 0) {
      askAboutArray(Object[].class, count);
    }
    ArrayList<@Nullable Object> list = new ArrayList<>(count);
    complete(list);
    for (int i = 0; i < count; i++) {
      list.add(read());
    }
    return list;
  }

  private Object fixedCollection(byte tag) throws IOException, ClassNotFoundException {
    askAboutType(SERIAL_FORM);
    int count = count(1);
    askAboutArray(Object[].class, count);
    int handle = open(OPEN_COLLECTION);
    @Nullable Object[] elements = new Object[count];
    for (int i = 0; i < count; i++) {
      elements[i] = read();
    }
    Object made =
        switch (tag) {
          case CompactFormat.LIST -> List.of(elements);
          case CompactFormat.SET -> Set.of(elements);
          default -> Arrays.stream(elements).toList();
        };
    return completed(handle, made);
  }

  /** A filter is asked about what a serial form becomes as well. */
  private Object completed(int handle, Object made) throws IOException {
    askAboutArray(made.getClass(), FilterQuestions.NO_ARRAY);
    handles[handle] = made;
    return made;
  }

  private Object set(byte tag) throws IOException, ClassNotFoundException {
    boolean linked = tag == CompactFormat.LINKED_HASH_SET;
    askAboutType(linked ? LinkedHashSet.class : HashSet.class);
    int count = count(1);
    int capacity = (int) (count * (1 / LOAD_FACTOR));
    askAboutTable(capacity);
    Collection<@Nullable Object> set =
        linked ? new LinkedHashSet<>(capacity) : new HashSet<>(capacity);
    complete(set);
    for (int i = 0; i < count; i++) {
      set.add(read());
    }
    return set;
  }

  private Object array(Class<?> type) throws IOException, ClassNotFoundException {
    Class<?> component = type.getComponentType();
    if (component == null || component.isPrimitive()) {
      throw new StreamCorruptedException("a class is no array of objects: class=" + type.getName());
    }
    askAboutType(type);
    int count = count(1);
    askAboutArray(type, count);
    @Nullable Object[] array =
        type == Object[].class ? new Object[count] : (Object[]) Array.newInstance(component, count);
    complete(array);
    for (int i = 0; i < count; i++) {
      array[i] = read();
    }
    return array;
  }

  private Object map(byte tag) throws IOException, ClassNotFoundException {
    boolean linked = tag == CompactFormat.LINKED_HASH_MAP;
    askAboutType(linked ? LinkedHashMap.class : HashMap.class);
    int count = count(2);
    int capacity = (int) Math.max(FIRST_CAPACITY, Math.ceil(count / (double) LOAD_FACTOR));
    if (count > 0) {
      askAboutTable(capacity);
    }
    Map<@Nullable Object, @Nullable Object> map =
        linked ? new LinkedHashMap<>(capacity) : new HashMap<>(capacity);
    complete(map);
    for (int i = 0; i < count; i++) {
      Object key = read();
      map.put(key, read());
    }
    return map;
  }

  private Object fixedMap() throws IOException, ClassNotFoundException {
    askAboutType(SERIAL_FORM);
    int count = count(2);
    askAboutArray(Object[].class, 2L * count);
    int handle = open(OPEN_COLLECTION);
    Map<?, ?> made =
        switch (count) {
          case 0 -> Map.of();
          case 1 -> Map.of(required(), required());
          default -> Map.ofEntries(entries(count));
        };
    return completed(handle, made);
  }

  private Object treeMap() throws IOException, ClassNotFoundException {
    askAboutType(TreeMap.class);
    int count = count(2);
    TreeMap<Object, @Nullable Object> map = new TreeMap<>();
    complete(map);
    map.putAll(new SortedEntries(sorted(count)));
    return map;
  }

  @SuppressWarnings({"unchecked", "rawtypes"}) // an array of a generic type
  private Map.Entry<Object, @Nullable Object>[] sorted(int count)
      throws IOException, ClassNotFoundException {
    Map.Entry<Object, @Nullable Object>[] entries = new Map.Entry[count];
    for (int i = 0; i < count; i++) {
      entries[i] = new AbstractMap.SimpleImmutableEntry<>(required(), read());
    }
    return entries;
  }

  private Object required() throws IOException, ClassNotFoundException {
    Object value = read();
    if (value == null) {
      throw new InvalidObjectException("a collection that takes no null has one");
    }
    return value;
  }

  @SuppressWarnings({"unchecked", "rawtypes"}) // an array of a generic type
  private Map.Entry<Object, Object>[] entries(int count)
      throws IOException, ClassNotFoundException {
    Map.Entry<Object, Object>[] entries = new Map.Entry[count];
    for (int i = 0; i < count; i++) {
      entries[i] = Map.entry(required(), required());
    }
    return entries;
  }

  /* Records and constants. */

  private KnownDescriptors.Known known() throws StreamCorruptedException {
    return descriptors.get(in.length(Integer.MAX_VALUE));
  }

  private Object record() throws IOException, ClassNotFoundException {
    KnownDescriptors.Known known = known();
    Class<?> type = known.resolve(loader);
    askAboutType(type);
    RecordPlan plan = known.plan(type);
    int handle = open(OPEN_RECORD);
    @Nullable Object[] values = plan.newValues();
    for (int i = 0; i < plan.count(); i++) {
      plan.set(values, i, component(plan.code(i)));
    }
    Object made = plan.make(values);
    handles[handle] = made;
    return made;
  }

  private @Nullable Object component(char code) throws IOException, ClassNotFoundException {
    return switch (code) {
      case 'Z' -> in.oneByte() != 0;
      case 'B' -> in.oneByte();
      case 'S' -> (short) signed(Short.MIN_VALUE, Short.MAX_VALUE);
      case 'C' -> (char) in.length(Character.MAX_VALUE);
      case 'I' -> (int) signed(Integer.MIN_VALUE, Integer.MAX_VALUE);
      case 'J' -> signed(Long.MIN_VALUE, Long.MAX_VALUE);
      case 'F' -> Float.intBitsToFloat(in.fixedInt());
      case 'D' -> Double.longBitsToDouble(in.fixedLong());
      default -> read();
    };
  }

  private Object constant() throws IOException, ClassNotFoundException {
    KnownDescriptors.Known known = known();
    Class<?> type = known.resolve(loader);
    askAboutType(type);
    Object name = readValue();
    Object constant = name instanceof String text ? known.constants(type).get(text) : null;
    if (constant == null) {
      throw new InvalidObjectException(
          "a class has no such constant: class=%s constant=%s"
              .formatted(type.getName(), name instanceof String text ? text : "none"));
    }
    return constant;
  }

  /* What is not written here. */

  private @Nullable Object binary() throws IOException {
    int number = in.length(Integer.MAX_VALUE);
    if (source == null) {
      throw new StreamCorruptedException("there are no binaries");
    }
    return source.binary(number);
  }

  private ItemObjectInput openStream() throws IOException {
    ItemObjectInput open = stream;
    if (open == null) {
      open = new ItemObjectInput(descriptors, filter, loader);
      stream = open;
    }
    return open;
  }

  private @Nullable Object fromStream() throws IOException, ClassNotFoundException {
    BinarySource binaries = source;
    if (binaries == null) {
      throw new StreamCorruptedException("there are no binaries");
    }
    streamUsed = true;
    FilterQuestions asked = questions;
    if (asked != null) {
      filter.beside(asked.depth() - 1, asked.references(), bytesRead() - streamBytes);
    }
    int before = in.remaining();
    Object value = openStream().readPart(new CursorInput(in), binaries, this);
    streamBytes += before - in.remaining();
    filter.beside(0, 0, 0);
    return value;
  }
}
