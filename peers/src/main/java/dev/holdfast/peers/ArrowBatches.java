package dev.holdfast.peers;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.ForeignAllocation;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VectorLoader;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ReadChannel;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.arrow.vector.ipc.message.MessageMetadataResult;
import org.apache.arrow.vector.ipc.message.MessageSerializer;

/**
 * The record batches of the mapped file. Its places are foreign memory to Arrow, so that a vector
 * is loaded around the bytes where they lie.
 */
final class ArrowBatches implements AutoCloseable {
  private final ArrowFile file;
  private final BufferAllocator allocator;
  private final List<ArrowBuf> places = new ArrayList<>();
  private final VectorSchemaRoot root;
  private final VectorLoader loader;
  private final VarBinaryVector items;

  ArrowBatches(ArrowFile file) throws IOException {
    this.file = file;
    this.allocator = new RootAllocator();
    root =
        VectorSchemaRoot.create(
            MessageSerializer.deserializeSchema(new ReadChannel(new ArrowPlace(file.schema()))),
            allocator);
    loader = new VectorLoader(root);
    items = (VarBinaryVector) root.getVector(0);
    for (int i = 0; i < file.places(); i++) {
      places.add(allocator.wrapForeignAllocation(new Mapped(file.place(i))));
    }
  }

  /** Memory that somebody else unmaps. */
  private static final class Mapped extends ForeignAllocation {
    Mapped(MemorySegment memory) {
      super(memory.byteSize(), memory.address());
    }

    @Override
    protected void release0() {}
  }

  /** Shows the item of the batch in a place. */
  void read(int place, Consumer<Object> consumer) throws IOException {
    ReadChannel in = new ReadChannel(new ArrowPlace(file.place(place)));
    MessageMetadataResult message = MessageSerializer.readMessage(in);
    if (message == null) {
      throw new IOException("no batch is there: place=" + place);
    }
    ArrowBuf body = places.get(place).slice(in.bytesRead(), message.getMessageBodyLength());
    body.getReferenceManager().retain(); // given up by the next call
    try (ArrowRecordBatch batch =
        MessageSerializer.deserializeRecordBatch(message.getMessage(), body)) {
      loader.load(batch);
    }
    consumer.accept(
        MemorySegment.ofBuffer(
            items.getDataBuffer().nioBuffer(items.getStartOffset(0), items.getValueLength(0))));
    root.clear();
  }

  @Override
  public void close() {
    root.close();
    places.forEach(ArrowBuf::close);
    allocator.close();
  }
}
