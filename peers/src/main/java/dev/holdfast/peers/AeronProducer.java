package dev.holdfast.peers;

import dev.holdfast.cli.bench.CellSpec;
import dev.holdfast.cli.bench.PassPlan;
import dev.holdfast.cli.bench.ProducerEnd;
import io.aeron.Aeron;
import io.aeron.ExclusivePublication;
import io.aeron.Publication;
import io.aeron.logbuffer.BufferClaim;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/** The producing end of Aeron IPC. Each item is copied once, chunk by chunk, into the log. */
public final class AeronProducer implements ProducerEnd {
  private final Resources resources = new Resources();
  private final BufferClaim claim = new BufferClaim();
  private final UnsafeBuffer source = new UnsafeBuffer();
  private final IdleStrategy idle = AeronStream.idle();
  private @Nullable ExclusivePublication publication;
  private MemorySegment bytes = MemorySegment.NULL;

  /** Made in the producer's process. */
  public AeronProducer() {}

  @Override
  public void open(CellSpec cell, String address, OutputStream out) throws IOException {
    bytes = cell.payload().newBytes(cell.sizeBytes());
    source.wrap(bytes.asByteBuffer());
    Aeron aeron = resources.add(AeronStream.connect(address));
    ExclusivePublication made =
        resources.add(aeron.addExclusivePublication(AeronStream.CHANNEL, AeronStream.STREAM));
    long start = System.nanoTime();
    while (!made.isConnected()) {
      if (System.nanoTime() - start > Peers.CONNECT_NANOS) {
        throw new IOException("nobody subscribes");
      }
      Peers.pause();
    }
    publication = made;
  }

  @Override
  public void produce(PassPlan plan) throws Exception {
    ExclusivePublication target = publication;
    if (target == null) {
      throw new IllegalStateException("not open");
    }
    Peers.sendAll(plan, bytes, () -> send(target));
  }

  private void send(ExclusivePublication target) throws IOException {
    int chunk = target.maxPayloadLength();
    int size = source.capacity();
    for (int offset = 0; offset < size; offset += chunk) {
      int length = Math.min(chunk, size - offset);
      claim(target, length);
      claim.buffer().putBytes(claim.offset(), source, offset, length);
      claim.commit();
    }
  }

  private void claim(ExclusivePublication target, int length) throws IOException {
    long position = target.tryClaim(length, claim);
    while (position < 0) {
      if (position != Publication.BACK_PRESSURED && position != Publication.ADMIN_ACTION) {
        throw new IOException("the stream has ended: " + Publication.errorString(position));
      }
      idle.idle();
      position = target.tryClaim(length, claim);
    }
    idle.reset();
  }

  @Override
  public void close() throws IOException {
    resources.close();
  }
}
