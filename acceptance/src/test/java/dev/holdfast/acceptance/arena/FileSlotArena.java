package dev.holdfast.acceptance.arena;

import dev.holdfast.arena.ArenaClosedException;
import dev.holdfast.arena.ArenaReader;
import dev.holdfast.arena.ArenaStats;
import dev.holdfast.arena.ArenaWriter;
import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.SharedMemoryArena;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.UUID;

/**
 * An arena as a user might write one: a temporary file with a slot for each unit, mapped by both
 * processes; the writer polls for space, the reader copies each binary out and returns the slot at
 * once. It knows the exported packages only.
 *
 * <p>The mapping belongs to the garbage collector, so nothing here can unmap what is in use.
 */
public final class FileSlotArena implements SharedMemoryArena {
  private static final long serialVersionUID = 1L;

  private final UUID arenaId;
  private final String file;
  private final long slotBytes;
  private final int slots;
  private final long waitNanos;

  private transient boolean owner;
  private transient volatile SlotFile shared;
  private transient volatile boolean closed;

  private FileSlotArena(Path file, long slotBytes, int slots, Duration acquireTimeout)
      throws IOException {
    this.arenaId = UUID.randomUUID();
    this.file = file.toString();
    this.slotBytes = slotBytes;
    this.slots = slots;
    this.waitNanos = nanos(acquireTimeout);
    this.owner = true;
    this.shared = map();
  }

  /** Makes an arena of so many slots. */
  public static FileSlotArena create(long slotBytes, int slots, Duration acquireTimeout) {
    try {
      Path file = Files.createTempFile("holdfast-custom-", ".arena");
      return new FileSlotArena(file, slotBytes, slots, acquireTimeout);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static long nanos(Duration time) {
    return time.compareTo(Duration.ofDays(10_000)) > 0 ? Long.MAX_VALUE : time.toNanos();
  }

  private SlotFile map() throws IOException {
    try (FileChannel channel =
        FileChannel.open(Path.of(file), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      long size = SlotFile.HEADER_BYTES + slotBytes * slots;
      MemorySegment memory = channel.map(FileChannel.MapMode.READ_WRITE, 0, size, Arena.ofAuto());
      return new SlotFile(memory, slotBytes, slots);
    }
  }

  private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
    in.defaultReadObject();
    shared = map();
  }

  boolean closed() {
    return closed;
  }

  SlotFile shared() {
    return shared;
  }

  long waitNanos() {
    return waitNanos;
  }

  void checkOpen() {
    if (closed) {
      throw new ArenaClosedException(
          FailureDetail.of("the arena is closed").with("arena", arenaId).advise("make a new one"));
    }
  }

  @Override
  public UUID arenaId() {
    return arenaId;
  }

  @Override
  public ArenaWriter openWriter() {
    checkOpen();
    shared.claim(SlotFile.WRITER_PID);
    return new SlotWriter(this);
  }

  @Override
  public ArenaReader openReader() {
    checkOpen();
    shared.claim(SlotFile.READER_PID);
    return new SlotReader(this);
  }

  @Override
  public void shutdown() {
    shared.set(SlotFile.SHUTDOWN, 1);
  }

  @Override
  public void close() {
    closed = true;
  }

  @Override
  public void unlink() {
    if (owner) {
      try {
        Files.deleteIfExists(Path.of(file));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  @Override
  public ArenaStats stats() {
    long published = shared.get(SlotFile.PUBLISHED);
    long reclaimed = shared.get(SlotFile.RECLAIMED);
    return new ArenaStats(published, reclaimed, 0, 0, 0, -1, "", 0, 0, 0, 0, 0, 0, 0, 0);
  }
}
