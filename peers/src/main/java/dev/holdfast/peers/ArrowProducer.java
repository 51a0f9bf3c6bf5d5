package dev.holdfast.peers;

import dev.holdfast.cli.bench.CellSpec;
import dev.holdfast.cli.bench.PassPlan;
import dev.holdfast.cli.bench.ProducerEnd;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowStreamWriter;
import org.jspecify.annotations.Nullable;

/**
 * The producing end of Arrow. Items are made in the memory of a vector, as programs that use Arrow
 * have theirs, and are copied once, by the stream writer, into the mapped file.
 */
public final class ArrowProducer implements ProducerEnd {
  private final Resources resources = new Resources();
  private final Deque<Integer> free = new ArrayDeque<>();
  private @Nullable ArrowFile file;
  private @Nullable ArrowPlace place;
  private @Nullable ArrowStreamWriter writer;
  private @Nullable ArrowSignals signals;
  private MemorySegment bytes = MemorySegment.NULL;

  /** Made in the producer's process. */
  public ArrowProducer() {}

  @Override
  public void open(CellSpec cell, String address, OutputStream out) throws IOException {
    Path folder = Path.of(address);
    ArrowFile mapped = resources.add(ArrowFile.open(folder, cell));
    for (int i = 0; i < mapped.places(); i++) {
      free.add(i);
    }
    ArrowPlace target = new ArrowPlace(mapped.schema());
    BufferAllocator allocator = resources.add(new RootAllocator());
    VectorSchemaRoot root = resources.add(root(allocator, Math.toIntExact(cell.sizeBytes())));
    ArrowStreamWriter stream = resources.add(new ArrowStreamWriter(root, null, target));
    resources.add(() -> target.target(mapped.waste())); // the writer's closing words
    stream.start();
    ArrowSignals connected =
        resources.add(
            new ArrowSignals(
                SocketChannel.open(UnixDomainSocketAddress.of(folder.resolve(ArrowFile.SOCKET)))));
    connected.send(ArrowSignals.SCHEMA);
    file = mapped;
    place = target;
    writer = stream;
    signals = connected;
  }

  /** Makes a batch of one binary value of a size, whose memory becomes the items'. */
  private VectorSchemaRoot root(BufferAllocator allocator, int size) {
    VarBinaryVector items = new VarBinaryVector("item", allocator);
    items.allocateNew(size, 1);
    items.setSafe(0, ByteBuffer.allocateDirect(size), 0, size);
    items.setValueCount(1);
    bytes = MemorySegment.ofBuffer(items.getDataBuffer().nioBuffer(0, size));
    VectorSchemaRoot root = VectorSchemaRoot.of(items);
    root.setRowCount(1);
    return root;
  }

  @Override
  public void produce(PassPlan plan) throws Exception {
    Peers.sendAll(plan, bytes, this::send);
  }

  private void send() throws IOException {
    if (file == null || place == null || writer == null || signals == null) {
      throw new IllegalStateException("not open");
    }
    Integer index = free.poll();
    if (index == null) {
      index = signals.receive();
    }
    place.target(file.place(index));
    writer.writeBatch();
    signals.send(index);
  }

  @Override
  public void close() throws IOException {
    resources.close();
  }
}
