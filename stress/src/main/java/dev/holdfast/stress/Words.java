package dev.holdfast.stress;

import dev.holdfast.arena.internal.memory.ArenaLayout;
import dev.holdfast.arena.internal.memory.ArenaWords;
import dev.holdfast.arena.internal.memory.SegmentWords;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** The words of a pool of one segment, and a place behind them for a unit's bytes. */
class Words {
  private static final long PAYLOAD = ArenaLayout.HEADER_BYTES + 2 * ArenaLayout.WORD_BYTES;

  private final MemorySegment memory =
      MemorySegment.ofArray(new long[(int) (PAYLOAD / Long.BYTES) + 1]);
  final SegmentWords shared = new SegmentWords(memory);
  final ArenaWords words = new ArenaWords(shared, 1);

  final void fill(long value) {
    memory.set(ValueLayout.JAVA_LONG, PAYLOAD, value);
  }

  final long payload() {
    return memory.get(ValueLayout.JAVA_LONG, PAYLOAD);
  }
}
