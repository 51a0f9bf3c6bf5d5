package dev.holdfast.arena.payload;

import dev.holdfast.arena.ArenaWriter;
import dev.holdfast.arena.Placement;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Takes binaries out of one item after the other. One thread's.
 *
 * <p>One that was filled in the open unit stays where it is, whatever its size. Other large ones
 * are copied to the arena at once, small ones are remembered and copied behind the table, so that
 * the body needs no room among them.
 */
final class OffloadSink implements BinarySink {
  private static final int FEW = 8;

  /** A binary that was taken; {@code inline} is null when it went to the arena. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Taken(
      Object leaf,
      String kind,
      byte[] meta,
      long byteSize,
      long offset,
      @Nullable MemorySegment inline) {}

  private final PayloadHandlers handlers;

  private final VisitTrace trace = new VisitTrace();
  private final List<Taken> taken = new ArrayList<>();
  private @Nullable Map<Object, Integer> numbers;
  private @Nullable ArenaWriter writer;
  private @Nullable Throwable arenaFailure;
  private int binaries;
  private long binaryBytes;

  OffloadSink(PayloadHandlers handlers) {
    this.handlers = handlers;
  }

  void begin(@Nullable ArenaWriter target) {
    writer = target;
    binaries = 0;
    binaryBytes = 0;
  }

  /** Forgets the item, so that nothing of it stays reachable. */
  void end() {
    taken.clear();
    numbers = null;
    writer = null;
    trace.clear();
    arenaFailure = null;
  }

  int binaries() {
    return binaries;
  }

  long binaryBytes() {
    return binaryBytes;
  }

  /** What was being written when writing failed. */
  @Nullable Object at(Throwable failure) {
    return trace.at(failure);
  }

  /** What the arena threw, which counts whatever the codec made of it. */
  @Nullable Throwable arenaFailure() {
    return arenaFailure;
  }

  @Override
  public int offer(Object leaf) throws IOException {
    trace.visit(leaf);
    PayloadHandler<?> handler = handlers.claiming(leaf);
    if (handler == null) {
      return INLINE;
    }
    int known = numberOf(leaf);
    if (known != INLINE) {
      return known;
    }
    taken.add(take(handler, leaf));
    return taken.size() - 1;
  }

  @SuppressWarnings("ReferenceEquality") // identity is what is asked for
  private int numberOf(Object leaf) {
    if (taken.size() <= FEW) {
      for (int i = 0; i < taken.size(); i++) {
        if (taken.get(i).leaf() == leaf) {
          return i;
        }
      }
      return INLINE;
    }
    Map<Object, Integer> all = numbers == null ? new IdentityHashMap<>() : numbers;
    numbers = all;
    for (int i = all.size(); i < taken.size(); i++) {
      all.put(taken.get(i).leaf(), i);
    }
    return all.getOrDefault(leaf, INLINE);
  }

  private <T> Taken take(PayloadHandler<T> handler, Object leaf) throws IOException {
    T payload = handler.type().cast(leaf);
    MemorySegment bytes = handler.bytes(payload);
    requireAccess(bytes, handler.kind());
    byte[] meta = handler.meta(payload);
    if (meta.length > PayloadHandler.MAX_META_BYTES) {
      throw new IllegalArgumentException(
          "the meta of a payload is too long: kind=%s metaBytes=%d limit=%d"
              .formatted(handler.kind(), meta.length, PayloadHandler.MAX_META_BYTES));
    }
    long byteSize = bytes.byteSize();
    ArenaWriter target = writer;
    Placement place = target == null || byteSize == 0 ? null : place(target, bytes);
    if (place == null) {
      return new Taken(leaf, handler.kind(), meta, byteSize, 0, bytes);
    }
    binaries++;
    binaryBytes += byteSize;
    return new Taken(leaf, handler.kind(), meta, byteSize, place.offset(), null);
  }

  /** Returns where the arena has the bytes, or null when they are small and lie elsewhere. */
  private @Nullable Placement place(ArenaWriter target, MemorySegment bytes) {
    try {
      Placement inPlace = target.placementOf(bytes);
      if (inPlace != null || bytes.byteSize() < ItemCodec.OFFLOAD_THRESHOLD_BYTES) {
        return inPlace;
      }
      return target.writeBinary(bytes);
    } catch (Throwable e) {
      arenaFailure = e;
      throw e;
    }
  }

  /** The arena would meet it while it copies, and could not tell whose memory it is. */
  private static void requireAccess(MemorySegment bytes, String kind) {
    if (!bytes.scope().isAlive()) {
      throw new IllegalStateException(
          "the memory of a payload was ended before it was sent: kind=" + kind);
    }
    if (!bytes.isAccessibleBy(Thread.currentThread())) {
      throw new WrongThreadException(
          "the memory of a payload belongs to another thread: kind=" + kind);
    }
  }

  void writeTable(RecordBuffer record) {
    record.writeVarint(taken.size());
    for (Taken binary : taken) {
      record.writeVarint(binary.kind().length());
      record.writeAscii(binary.kind());
      boolean inArena = binary.inline() == null;
      record.write(inArena ? RecordLayout.PLACE_ARENA : RecordLayout.PLACE_ENVELOPE);
      record.writeVarint(binary.byteSize());
      if (inArena) {
        record.writeVarint(binary.offset());
      }
      record.writeVarint(binary.meta().length);
      record.write(binary.meta(), 0, binary.meta().length);
    }
  }

  void writeInline(RecordBuffer record) {
    for (Taken binary : taken) {
      MemorySegment inline = binary.inline();
      if (inline != null) {
        record.writeSegment(inline);
      }
    }
  }
}
