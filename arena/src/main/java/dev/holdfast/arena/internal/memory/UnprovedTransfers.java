package dev.holdfast.arena.internal.memory;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Ranges of memory that a device may still read or write, because the end of a transfer could not
 * be proved. An arena that has one cannot close with certainty. Thread-safe.
 */
public final class UnprovedTransfers {
  private static final List<Range> RANGES = new CopyOnWriteArrayList<>();

  /** One range; compared by identity. */
  public static final class Range {
    private final long address;
    private final long byteSize;
    private final String what;

    private Range(long address, long byteSize, String what) {
      this.address = address;
      this.byteSize = byteSize;
      this.what = what;
    }

    /** The transfer has ended. */
    public void proved() {
      RANGES.remove(this);
    }

    private boolean overlaps(MemorySegment memory) {
      return address < memory.address() + memory.byteSize()
          && memory.address() < address + byteSize;
    }
  }

  private UnprovedTransfers() {}

  /** Notes a range, until {@link Range#proved}. */
  public static Range add(long address, long byteSize, String what) {
    Range range = new Range(address, byteSize, what);
    RANGES.add(range);
    return range;
  }

  /** Returns what transfers may still use a memory, a text each. */
  public static List<String> within(MemorySegment memory) {
    return RANGES.stream()
        .filter(range -> range.overlaps(memory))
        .map(range -> range.what)
        .toList();
  }
}
