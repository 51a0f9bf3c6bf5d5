package dev.holdfast.arena.internal.memory;

import dev.holdfast.arena.ArenaCorruptedException;
import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.internal.os.ProcessIdentity;
import java.io.Serializable;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.UUID;

/**
 * The constant part of an arena's header: what it is, how large, and whose.
 *
 * @param kind one of the kinds of {@link ArenaLayout}
 * @param arenaId the identity
 * @param fileBytes bytes of the whole file
 * @param dataOffset where the data begin
 * @param unitBytes pool: segment size; ring: capacity
 * @param stride pool: distance between segments; ring: 0
 * @param segments pool: number of segments; ring: 0
 * @param owner the process that made the arena
 */
public record ArenaGeometry(
    int kind,
    UUID arenaId,
    long fileBytes,
    long dataOffset,
    long unitBytes,
    long stride,
    long segments,
    ProcessIdentity owner)
    implements Serializable {
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);

  /** Computes the geometry of a pool; throws IllegalArgumentException when a size overflows. */
  public static ArenaGeometry pool(long segmentSize, long count, long pageSize) {
    try {
      long stride = ArenaLayout.roundUp(segmentSize, pageSize);
      long dataOffset = ArenaLayout.dataOffset(count, pageSize);
      long fileBytes = Math.addExact(dataOffset, Math.multiplyExact(stride, count));
      return new ArenaGeometry(
          ArenaLayout.KIND_POOL,
          UUID.randomUUID(),
          fileBytes,
          dataOffset,
          segmentSize,
          stride,
          count,
          ProcessIdentity.current());
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException(
          FailureDetail.of("the pool's size overflows")
              .with("segmentSize", segmentSize)
              .with("count", count)
              .message(),
          e);
    }
  }

  /** Computes the geometry of a ring; throws IllegalArgumentException when a size overflows. */
  public static ArenaGeometry ring(long capacity, long pageSize) {
    try {
      long dataOffset = ArenaLayout.dataOffset(0, pageSize);
      long fileBytes = Math.addExact(dataOffset, ArenaLayout.roundUp(capacity, pageSize));
      return new ArenaGeometry(
          ArenaLayout.KIND_RING,
          UUID.randomUUID(),
          fileBytes,
          dataOffset,
          capacity,
          0,
          0,
          ProcessIdentity.current());
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException(
          FailureDetail.of("the ring's size overflows").with("capacity", capacity).message(), e);
    }
  }

  /** Returns the bytes of the data area. */
  public long dataBytes() {
    return fileBytes - dataOffset;
  }

  /** Returns the label that a memfd carries. */
  public String label() {
    return "holdfast-" + owner.pid() + "-" + arenaId;
  }

  /**
   * Writes the header; its version is stored last, so that nobody takes a half-written one for
   * whole.
   */
  public void write(MemorySegment memory) {
    memory.set(LONG, ArenaLayout.MAGIC_OFFSET, ArenaLayout.MAGIC);
    memory.set(INT, ArenaLayout.KIND_OFFSET, kind);
    memory.set(LONG, ArenaLayout.ARENA_ID_OFFSET, arenaId.getMostSignificantBits());
    memory.set(LONG, ArenaLayout.ARENA_ID_OFFSET + Long.BYTES, arenaId.getLeastSignificantBits());
    memory.set(LONG, ArenaLayout.FILE_BYTES_OFFSET, fileBytes);
    memory.set(LONG, ArenaLayout.DATA_OFFSET_OFFSET, dataOffset);
    memory.set(LONG, ArenaLayout.DATA_BYTES_OFFSET, dataBytes());
    memory.set(LONG, ArenaLayout.UNIT_BYTES_OFFSET, unitBytes);
    memory.set(LONG, ArenaLayout.STRIDE_OFFSET, stride);
    memory.set(LONG, ArenaLayout.SEGMENT_COUNT_OFFSET, segments);
    memory.set(LONG, ArenaLayout.OWNER_PID_OFFSET, owner.pid());
    memory.set(LONG, ArenaLayout.OWNER_START_OFFSET, owner.startTicks());
    INT.varHandle().setRelease(memory, ArenaLayout.VERSION_OFFSET, ArenaLayout.VERSION);
  }

  /**
   * Reads a header and checks that its numbers fit each other and the file.
   *
   * @param memory the header's bytes at least
   * @param mappedBytes the size of the file
   * @param place how errors name it
   * @throws ArenaCorruptedException when they cannot be true
   */
  public static ArenaGeometry read(MemorySegment memory, long mappedBytes, String place) {
    if (memory.byteSize() < ArenaLayout.HEADER_BYTES) {
      throw damaged(place, "fileBytes", memory.byteSize());
    }
    int version = (int) INT.varHandle().getAcquire(memory, ArenaLayout.VERSION_OFFSET);
    long magic = memory.get(LONG, ArenaLayout.MAGIC_OFFSET);
    if (magic != ArenaLayout.MAGIC) {
      throw damaged(place, "magic", Long.toHexString(magic));
    }
    if (version != ArenaLayout.VERSION) {
      throw damaged(place, "version", version);
    }
    ArenaGeometry read =
        new ArenaGeometry(
            memory.get(INT, ArenaLayout.KIND_OFFSET),
            new UUID(
                memory.get(LONG, ArenaLayout.ARENA_ID_OFFSET),
                memory.get(LONG, ArenaLayout.ARENA_ID_OFFSET + Long.BYTES)),
            memory.get(LONG, ArenaLayout.FILE_BYTES_OFFSET),
            memory.get(LONG, ArenaLayout.DATA_OFFSET_OFFSET),
            memory.get(LONG, ArenaLayout.UNIT_BYTES_OFFSET),
            memory.get(LONG, ArenaLayout.STRIDE_OFFSET),
            memory.get(LONG, ArenaLayout.SEGMENT_COUNT_OFFSET),
            new ProcessIdentity(
                memory.get(LONG, ArenaLayout.OWNER_PID_OFFSET),
                memory.get(LONG, ArenaLayout.OWNER_START_OFFSET)));
    read.check(mappedBytes, memory.get(LONG, ArenaLayout.DATA_BYTES_OFFSET), place);
    return read;
  }

  private void check(long mappedBytes, long statedDataBytes, String place) {
    if (fileBytes > mappedBytes && isSumOfParts(statedDataBytes)) {
      throw new ArenaCorruptedException(FileTrace.shrunken(place, fileBytes, mappedBytes));
    }
    if (fileBytes != mappedBytes) {
      throw damaged(place, "fileBytes", fileBytes);
    }
    if (dataOffset < ArenaLayout.HEADER_BYTES || dataOffset >= fileBytes) {
      throw damaged(place, "dataOffset", dataOffset);
    }
    if (statedDataBytes != dataBytes()) {
      throw damaged(place, "dataBytes", statedDataBytes);
    }
    if (unitBytes <= 0 || unitBytes > dataBytes()) {
      throw damaged(place, "unitBytes", unitBytes);
    }
    boolean fits =
        switch (kind) {
          case ArenaLayout.KIND_POOL ->
              segments > 0
                  && stride >= unitBytes
                  && segments <= dataBytes() / stride
                  && ArenaLayout.sealedOffset(segments) <= dataOffset;
          case ArenaLayout.KIND_RING -> segments == 0 && stride == 0;
          default -> throw damaged(place, "kind", kind);
        };
    if (!fits) {
      throw damaged(place, "segments", segments);
    }
  }

  /**
   * Returns whether the other numbers bear the size out: then it is not the header that is wrong.
   */
  private boolean isSumOfParts(long statedDataBytes) {
    return dataOffset >= 0 && statedDataBytes >= 0 && statedDataBytes == dataBytes();
  }

  private static ArenaCorruptedException damaged(String place, String field, Object value) {
    return new ArenaCorruptedException(
        FailureDetail.of("the header of an arena cannot be true")
            .with("place", place)
            .with("field", field)
            .with("value", value));
  }
}
