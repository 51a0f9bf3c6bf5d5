package dev.holdfast.arena.payload;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Numbers of objects, found by identity. One thread's.
 *
 * <p>Most items have few objects, and the first identity hash code of an object costs more than to
 * compare it with all of them. So the first entries lie in a row, and only when there are more is
 * everything hashed, with open addressing.
 */
final class IdentityTable {
  static final int ABSENT = -1;

  private static final int FEW = 16;
  private static final int FIRST_SLOTS = 64;
  private static final int KEPT_SLOTS = 4096;

  private @Nullable Object[] keys = new Object[FIRST_SLOTS];
  private int[] values = new int[FIRST_SLOTS];
  private int size;
  private boolean hashed;

  int get(Object key) {
    if (hashed) {
      int slot = slotOf(key);
      return keys[slot] == null ? ABSENT : values[slot];
    }
    int index = indexOf(key);
    return index < 0 ? ABSENT : values[index];
  }

  void put(Object key, int value) {
    if (!hashed && size == FEW && indexOf(key) < 0) {
      hashAll();
    }
    int place = hashed ? slotOf(key) : placeOf(key);
    if (keys[place] == null) {
      keys[place] = key;
      size++;
    }
    values[place] = value;
    if (hashed && size > keys.length / 2) {
      grow();
    }
  }

  void clear() {
    if (keys.length > KEPT_SLOTS) {
      keys = new Object[FIRST_SLOTS];
      values = new int[FIRST_SLOTS];
    } else {
      Arrays.fill(keys, 0, hashed ? keys.length : size, null);
    }
    size = 0;
    hashed = false;
  }

  private int placeOf(Object key) {
    int index = indexOf(key);
    return index < 0 ? size : index;
  }

  @SuppressWarnings("ReferenceEquality") // identity is what is asked for
  private int indexOf(Object key) {
    for (int i = 0; i < size; i++) {
      if (keys[i] == key) {
        return i;
      }
    }
    return ABSENT;
  }

  @SuppressWarnings("ReferenceEquality") // identity is what is asked for
  private int slotOf(Object key) {
    int mask = keys.length - 1;
    int hash = System.identityHashCode(key) * 0x9E3779B9;
    int slot = (hash ^ (hash >>> 16)) & mask;
    while (keys[slot] != null && keys[slot] != key) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private void hashAll() {
    @Nullable Object[] rowKeys = Arrays.copyOf(keys, size);
    int[] rowValues = Arrays.copyOf(values, size);
    Arrays.fill(keys, 0, size, null);
    hashed = true;
    insert(rowKeys, rowValues);
  }

  private void grow() {
    @Nullable Object[] oldKeys = keys;
    int[] oldValues = values;
    keys = new Object[2 * oldKeys.length];
    values = new int[2 * oldKeys.length];
    insert(oldKeys, oldValues);
  }

  private void insert(@Nullable Object[] oldKeys, int[] oldValues) {
    for (int i = 0; i < oldKeys.length; i++) {
      Object key = oldKeys[i];
      if (key != null) {
        int slot = slotOf(key);
        keys[slot] = key;
        values[slot] = oldValues[i];
      }
    }
  }
}
