package dev.holdfast.arena.payload;

/**
 * What {@link CompactOutput} writes and {@link CompactInput} reads: a tag, then what belongs to it.
 * Numbers have seven bits a byte; those that can be negative alternate their signs, so that small
 * ones are short. Fixed numbers are little-endian.
 *
 * <pre>
 * NULL, TRUE, FALSE                  nothing
 * BYTE                               one byte
 * SHORT, INT, LONG                   signed number
 * CHAR                               number
 * FLOAT, DOUBLE                      4 or 8 bytes
 * LATIN, WIDE                        count of characters, one or two bytes for each
 * BACK                               handle of an object that came before
 * BINARY                             number of a marker
 * ARRAY_LIST, LIST, LIST_WITH_NULLS,
 * SET, HASH_SET, LINKED_HASH_SET,
 * OBJECTS, STRINGS                   count, elements
 * MAP, HASH_MAP, LINKED_HASH_MAP,
 * TREE_MAP                           count, keys and values in turn
 * ARRAY                              class, count, elements
 * RECORD                             class, components in the order of its descriptor
 * ENUM                               class, name as a value
 * STREAM                             one object of the item's object stream
 * </pre>
 *
 * <p>Strings, collections, arrays and records get handles in the order in which their tags stand. A
 * class is the number of its descriptor, which crosses in a head. Components of a primitive type
 * stand without a tag.
 */
final class CompactFormat {
  static final byte NULL = 0;
  static final byte TRUE = 1;
  static final byte FALSE = 2;
  static final byte BYTE = 3;
  static final byte SHORT = 4;
  static final byte CHAR = 5;
  static final byte INT = 6;
  static final byte LONG = 7;
  static final byte FLOAT = 8;
  static final byte DOUBLE = 9;
  static final byte LATIN = 10;
  static final byte WIDE = 11;
  static final byte BACK = 12;
  static final byte BINARY = 13;
  static final byte ARRAY_LIST = 14;
  static final byte LIST = 15;
  static final byte LIST_WITH_NULLS = 16;
  static final byte SET = 17;
  static final byte HASH_SET = 18;
  static final byte LINKED_HASH_SET = 19;
  static final byte OBJECTS = 20;
  static final byte STRINGS = 21;
  static final byte MAP = 22;
  static final byte HASH_MAP = 23;
  static final byte LINKED_HASH_MAP = 24;
  static final byte TREE_MAP = 25;
  static final byte ARRAY = 26;
  static final byte RECORD = 27;
  static final byte ENUM = 28;
  static final byte STREAM = 29;

  private CompactFormat() {}

  /** Makes small numbers of either sign small numbers without one. */
  static long folded(long number) {
    return (number << 1) ^ (number >> 63);
  }

  static long unfolded(long number) {
    return (number >>> 1) ^ -(number & 1);
  }
}
