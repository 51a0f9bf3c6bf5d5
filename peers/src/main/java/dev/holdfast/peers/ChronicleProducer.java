package dev.holdfast.peers;

import dev.holdfast.cli.bench.CellSpec;
import dev.holdfast.cli.bench.PassPlan;
import dev.holdfast.cli.bench.ProducerEnd;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.core.time.SetTimeProvider;
import net.openhft.chronicle.queue.ChronicleQueue;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.wire.DocumentContext;
import org.jspecify.annotations.Nullable;

/**
 * The producing end of Chronicle Queue. A queue begins a new file when its clock says so, and this
 * clock moves on after each so many bytes.
 */
public final class ChronicleProducer implements ProducerEnd {
  private final Resources resources = new Resources();
  private final SetTimeProvider time = new SetTimeProvider();
  private @Nullable ExcerptAppender appender;
  private @Nullable Bytes<ByteBuffer> source;
  private MemorySegment bytes = MemorySegment.NULL;
  private long bytesInFile;

  /** Made in the producer's process. */
  public ChronicleProducer() {}

  @Override
  public void open(CellSpec cell, String address, OutputStream out) {
    time.currentTimeMillis(System.currentTimeMillis());
    bytes = cell.payload().newBytes(cell.sizeBytes());
    source = Bytes.wrapForRead(bytes.asByteBuffer());
    ChronicleQueue queue = resources.add(ChronicleQueues.open(Path.of(address), cell, time));
    appender = resources.add(queue.createAppender());
  }

  @Override
  public void produce(PassPlan plan) throws Exception {
    Peers.sendAll(plan, bytes, this::send);
  }

  private void send() {
    ExcerptAppender target = appender;
    Bytes<ByteBuffer> item = source;
    if (target == null || item == null) {
      throw new IllegalStateException("not open");
    }
    if (bytesInFile > ChronicleQueues.BYTES_PER_FILE) {
      bytesInFile = 0;
      time.advanceMillis(ChronicleQueues.CYCLE.lengthInMillis());
    }
    bytesInFile += bytes.byteSize();
    try (DocumentContext document = target.writingDocument()) {
      ChronicleQueues.bytes(document).write(item, 0L, bytes.byteSize());
    }
  }

  @Override
  public void close() throws IOException {
    resources.close();
  }
}
