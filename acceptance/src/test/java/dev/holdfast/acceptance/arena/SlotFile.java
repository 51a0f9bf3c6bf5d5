package dev.holdfast.acceptance.arena;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/** The memory of a {@link FileSlotArena}: a header of 64-bit words, then the slots. */
final class SlotFile {
  static final long HEADER_BYTES = 4096;
  static final long PUBLISHED = 0;
  static final long RECLAIMED = 64;
  static final long SHUTDOWN = 128;
  static final long WRITER_PID = 192;
  static final long READER_PID = 256;

  private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();

  private final MemorySegment memory;
  private final long slotBytes;
  private final int slots;

  SlotFile(MemorySegment memory, long slotBytes, int slots) {
    this.memory = memory;
    this.slotBytes = slotBytes;
    this.slots = slots;
  }

  long slotBytes() {
    return slotBytes;
  }

  int slots() {
    return slots;
  }

  long get(long word) {
    return (long) WORD.getVolatile(memory, word);
  }

  void set(long word, long value) {
    WORD.setVolatile(memory, word, value);
  }

  void claim(long word) {
    if (!WORD.compareAndSet(memory, word, 0L, ProcessHandle.current().pid())) {
      throw new IllegalStateException("the endpoint is in use: pid=" + get(word));
    }
  }

  MemorySegment slot(long unit) {
    return memory.asSlice(HEADER_BYTES + unit % slots * slotBytes, slotBytes);
  }
}
