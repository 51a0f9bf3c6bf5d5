package dev.holdfast.peers;

import dev.holdfast.cli.bench.CellSpec;
import java.nio.file.Path;
import java.util.Objects;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.core.time.TimeProvider;
import net.openhft.chronicle.queue.ChronicleQueue;
import net.openhft.chronicle.queue.RollCycle;
import net.openhft.chronicle.queue.RollCycles;
import net.openhft.chronicle.wire.DocumentContext;

/** How both ends open the queue. */
final class ChronicleQueues {
  static final RollCycle CYCLE = RollCycles.FAST_HOURLY;

  /** How many bytes of documents go into one file. */
  static final long BYTES_PER_FILE = 256L << 20;

  private static final long SMALLEST_BLOCK_BYTES = 64L << 20;

  /** The block should be four times as long as the longest document. */
  private static final long BLOCK_PER_DOCUMENT = 4;

  private ChronicleQueues() {}

  static ChronicleQueue open(Path folder, CellSpec cell, TimeProvider time) {
    return ChronicleQueue.singleBuilder(folder)
        .blockSize(blockBytes(cell))
        .rollCycle(CYCLE)
        .timeProvider(time)
        .build();
  }

  /** Returns the bytes of a document that is there. */
  static Bytes<?> bytes(DocumentContext document) {
    return Objects.requireNonNull(document.wire(), "no wire").bytes();
  }

  static long blockBytes(CellSpec cell) {
    return Math.max(SMALLEST_BLOCK_BYTES, BLOCK_PER_DOCUMENT * cell.sizeBytes());
  }
}
