package dev.holdfast.cli.bench;

import dev.holdfast.arena.Backing;
import dev.holdfast.arena.internal.memory.MemoryMapping;
import dev.holdfast.arena.internal.memory.SharedFile;
import java.lang.foreign.MemorySegment;
import java.util.OptionalLong;
import java.util.function.Consumer;

/**
 * The baseline: one thread copies from one source of the item's size into as many stretches of
 * shared memory as a pool has segments, in turn.
 */
public final class MemcpyTransport implements Transport {
  private static final long PAGE = 4096;

  /** Made by the service loader. */
  public MemcpyTransport() {}

  @Override
  public String name() {
    return "memcpy";
  }

  @Override
  public boolean waits() {
    return false;
  }

  @Override
  public Session open(CellSpec cell) {
    return new Copies(cell);
  }

  private static final class Copies implements Session {
    private final long sizeBytes;
    private final long distance;
    private final int segments;
    private final MemorySegment source;
    private final SharedFile file;
    private final MemoryMapping mapping;

    Copies(CellSpec cell) {
      sizeBytes = cell.sizeBytes();
      distance = Math.ceilDiv(cell.roomBytes(), PAGE) * PAGE;
      segments = cell.segments();
      source = cell.payload().newBytes(sizeBytes);
      file = SharedFile.create(Backing.memfd(), "holdfast-memcpy", distance * segments);
      mapping = file.map();
    }

    @Override
    public void pass(PassPlan plan, Consumer<Object> consumer) {
      MemorySegment all = mapping.segment();
      for (int unit = 0; unit < plan.items(); unit++) {
        Stamps.write(source, plan, unit);
        MemorySegment target = all.asSlice(unit % segments * distance, sizeBytes);
        MemorySegment.copy(source, 0, target, 0, sizeBytes);
        consumer.accept(target);
      }
    }

    @Override
    public OptionalLong producerPid() {
      return OptionalLong.empty();
    }

    @Override
    public void close() {
      mapping.release();
      file.close();
    }
  }
}
