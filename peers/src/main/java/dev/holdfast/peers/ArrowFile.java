package dev.holdfast.peers;

import dev.holdfast.cli.bench.CellSpec;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The mapped file: first the schema, then as many places for a record batch as a pool would have
 * segments. Both ends map all of it.
 */
final class ArrowFile implements AutoCloseable {
  static final String FILE = "batches";
  static final String SOCKET = "socket";

  private static final long HEAD_BYTES = 64 << 10;

  /** A batch of one value: its metadata, validity, offsets and padding. */
  private static final long BATCH_EXTRA_BYTES = 64 << 10;

  private static final long PAGE = 4096;

  private final Arena arena = Arena.ofShared();
  private final MemorySegment all;
  private final long placeBytes;
  private final int places;

  private ArrowFile(Path folder, CellSpec cell) throws IOException {
    placeBytes = placeBytes(cell);
    places = cell.segments();
    try (FileChannel channel =
        FileChannel.open(
            folder.resolve(FILE),
            StandardOpenOption.CREATE,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE)) {
      all = channel.map(FileChannel.MapMode.READ_WRITE, 0, bytes(cell), arena);
    }
  }

  static ArrowFile open(Path folder, CellSpec cell) throws IOException {
    return new ArrowFile(folder, cell);
  }

  /** Returns how long the file is. */
  static long bytes(CellSpec cell) {
    return HEAD_BYTES + cell.segments() * placeBytes(cell);
  }

  private static long placeBytes(CellSpec cell) {
    return Math.ceilDiv(cell.sizeBytes() + BATCH_EXTRA_BYTES, PAGE) * PAGE;
  }

  int places() {
    return places;
  }

  MemorySegment schema() {
    return all.asSlice(0, HEAD_BYTES / 2);
  }

  /** Returns where a writer puts what nobody reads. */
  MemorySegment waste() {
    return all.asSlice(HEAD_BYTES / 2, HEAD_BYTES / 2);
  }

  MemorySegment place(int index) {
    return all.asSlice(HEAD_BYTES + index * placeBytes, placeBytes);
  }

  @Override
  public void close() {
    arena.close();
  }
}
