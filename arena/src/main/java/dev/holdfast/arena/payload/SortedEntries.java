package dev.holdfast.arena.payload;

import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Entries that stood in natural order, for a {@link TreeMap} that takes them over: it compares keys
 * of such a map no more, as after Java serialization. Only what the tree map asks for is there.
 */
@SuppressWarnings("JdkObsolete") // it is what a tree map takes over
final class SortedEntries extends AbstractMap<Object, @Nullable Object>
    implements SortedMap<Object, @Nullable Object> {
  private final Map.Entry<Object, @Nullable Object>[] entries;

  SortedEntries(Map.Entry<Object, @Nullable Object>[] entries) {
    this.entries = entries;
  }

  @Override
  public @Nullable Comparator<? super Object> comparator() {
    return null;
  }

  @Override
  public Set<Map.Entry<Object, @Nullable Object>> entrySet() {
    return new AbstractSet<>() {
      @Override
      public Iterator<Map.Entry<Object, @Nullable Object>> iterator() {
        return Arrays.asList(entries).iterator();
      }

      @Override
      public int size() {
        return entries.length;
      }
    };
  }

  @Override
  public SortedMap<Object, @Nullable Object> subMap(Object from, Object to) {
    throw new UnsupportedOperationException();
  }

  @Override
  public SortedMap<Object, @Nullable Object> headMap(Object to) {
    throw new UnsupportedOperationException();
  }

  @Override
  public SortedMap<Object, @Nullable Object> tailMap(Object from) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Object firstKey() {
    return entries[0].getKey();
  }

  @Override
  public Object lastKey() {
    return entries[entries.length - 1].getKey();
  }
}
