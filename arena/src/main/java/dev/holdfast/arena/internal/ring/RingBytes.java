package dev.holdfast.arena.internal.ring;

import dev.holdfast.arena.internal.memory.BulkCopy;
import java.lang.foreign.MemorySegment;

/**
 * The byte region of a ring. Bytes are counted over the ring's whole life; the byte with number
 * {@code n} lies at {@code n mod capacity}, so that a run of bytes is in at most two parts.
 *
 * @param data the region, in the global scope
 * @param capacity its size
 */
record RingBytes(MemorySegment data, long capacity) {

  /** Returns where a byte lies. */
  long placeOf(long number) {
    return number % capacity;
  }

  /** Returns the byte of a unit that lies at a place, counted from the unit's first byte. */
  long distance(long unitStart, long place) {
    long distance = place - placeOf(unitStart);
    return distance < 0 ? distance + capacity : distance;
  }

  /** Copies all of a source to a run of bytes. */
  void write(long first, MemorySegment source) {
    long place = placeOf(first);
    long untilEnd = Math.min(source.byteSize(), capacity - place);
    BulkCopy.copyBinary(source.asSlice(0, untilEnd), data.asSlice(place, untilEnd));
    long rest = source.byteSize() - untilEnd;
    if (rest > 0) {
      BulkCopy.copyBinary(source.asSlice(untilEnd, rest), data.asSlice(0, rest));
    }
  }

  /** Copies a run of bytes to fill a target. */
  void read(long first, MemorySegment target) {
    long place = placeOf(first);
    long untilEnd = Math.min(target.byteSize(), capacity - place);
    BulkCopy.copyBinary(data.asSlice(place, untilEnd), target.asSlice(0, untilEnd));
    long rest = target.byteSize() - untilEnd;
    if (rest > 0) {
      BulkCopy.copyBinary(data.asSlice(0, rest), target.asSlice(untilEnd, rest));
    }
  }

  /** Returns whether a run of bytes is in two parts. */
  boolean wraps(long first, long byteSize) {
    return byteSize > capacity - placeOf(first);
  }

  /** Returns a run of bytes that does not wrap. */
  MemorySegment run(long first, long byteSize) {
    return data.asSlice(placeOf(first), byteSize);
  }
}
