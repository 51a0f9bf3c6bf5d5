package dev.holdfast.peers;

import dev.holdfast.cli.bench.CellSpec;
import dev.holdfast.cli.bench.PassPlan;
import dev.holdfast.cli.bench.ProducerProcess;
import java.io.File;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.core.time.SystemTimeProvider;
import net.openhft.chronicle.queue.ChronicleQueue;
import net.openhft.chronicle.queue.ExcerptTailer;
import net.openhft.chronicle.threads.Pauser;
import net.openhft.chronicle.wire.DocumentContext;
import org.jspecify.annotations.Nullable;

/** The consuming end of Chronicle Queue: a tailer, and documents that are read in place. */
final class ChronicleSession extends PeerSession {
  /** What the producer may be ahead, for it never waits. */
  private static final long ROOM_BYTES = 4L << 30;

  private static final int LONGEST_PAUSE_MILLIS = 1;

  private final Path folder;
  private final ExcerptTailer tailer;
  private final Pauser pauser = Pauser.balancedUpToMillis(LONGEST_PAUSE_MILLIS);
  private int cycle = -1;

  private ChronicleSession(
      Path folder, ExcerptTailer tailer, ProducerProcess producer, Resources resources) {
    super(producer, resources);
    this.folder = folder;
    this.tailer = tailer;
  }

  static ChronicleSession open(CellSpec cell) throws Exception {
    Resources resources = new Resources();
    try {
      PeerFolder parent =
          resources.add(
              PeerFolder.create("chronicle", ROOM_BYTES + 2 * ChronicleQueues.blockBytes(cell)));
      Path folder = Files.createDirectory(parent.path().resolve("queue"));
      ChronicleQueue queue =
          resources.add(ChronicleQueues.open(folder, cell, SystemTimeProvider.INSTANCE));
      ExcerptTailer tailer = resources.add(queue.createTailer());
      // A pass may run on another thread than the one before, never on two.
      tailer.singleThreadedCheckDisabled(true);
      ProducerProcess producer =
          resources.add(ProducerProcess.start(cell, ChronicleProducer.class, folder.toString()));
      return new ChronicleSession(folder, tailer, producer, resources);
    } catch (Exception | Error e) {
      try (resources) {
        throw e;
      }
    }
  }

  @Override
  public void pass(PassPlan plan, Consumer<Object> consumer) throws IOException {
    producer.request(plan);
    for (int seen = 0; seen < plan.items(); seen++) {
      while (!read(consumer)) {
        producer.requireAlive();
        pauser.pause();
      }
      pauser.reset();
    }
  }

  /** Reads one document, if there is one. */
  private boolean read(Consumer<Object> consumer) throws IOException {
    try (DocumentContext document = tailer.readingDocument()) {
      if (!document.isPresent()) {
        return false;
      }
      Bytes<?> bytes = ChronicleQueues.bytes(document);
      consumer.accept(memory(bytes.addressForRead(bytes.readPosition()), bytes.readRemaining()));
    }
    if (tailer.cycle() != cycle) {
      cycle = tailer.cycle();
      removeRead();
    }
    return true;
  }

  /** A document stays mapped and in its place until its context is closed. */
  @SuppressWarnings("restricted")
  private static MemorySegment memory(long address, long size) {
    return MemorySegment.ofAddress(address).reinterpret(size);
  }

  /** Removes the files before the one that is being read. Their names ascend with time. */
  private void removeRead() throws IOException {
    @Nullable File current = tailer.currentFile();
    if (current == null) {
      return;
    }
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*.cq4")) {
      for (Path file : files) {
        if (file.getFileName().toString().compareTo(current.getName()) < 0) {
          Files.deleteIfExists(file);
        }
      }
    }
  }
}
