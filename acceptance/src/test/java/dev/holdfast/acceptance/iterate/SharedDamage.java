package dev.holdfast.acceptance.iterate;

import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.testkit.Maps;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Writes into shared memory of this process behind the back of who owns it. */
final class SharedDamage {
  /** Where {@code docs/layout.md} puts the count of bytes that the worker has sent. */
  static final long CHANNEL_ITEMS_PUBLISHED = 5120;

  private final Maps.Mapping mapping;

  private SharedDamage(Maps.Mapping mapping) {
    this.mapping = mapping;
  }

  /** The channel of the only worker there is. */
  static SharedDamage ofChannel() {
    return find("-channel-");
  }

  /** The memory of an arena. */
  static SharedDamage of(SharedMemoryArena arena) {
    return find(arena.arenaId().toString());
  }

  private static SharedDamage find(String part) {
    return new SharedDamage(
        Maps.ofArenas().stream()
            .filter(m -> m.path().contains("holdfast-") && m.path().contains(part))
            .reduce(
                (_, _) -> {
                  throw new AssertionError("more than one: " + Maps.ofArenas());
                })
            .orElseThrow());
  }

  long byteSize() {
    return mapping.end() - mapping.start();
  }

  void writeLong(long offset, long value) {
    ByteBuffer bytes = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(0, value);
    write(offset, bytes.array());
  }

  void writeByte(long offset, int value) {
    write(offset, new byte[] {(byte) value});
  }

  int readByte(long offset) {
    try (RandomAccessFile memory = new RandomAccessFile("/proc/self/mem", "r")) {
      memory.seek(mapping.start() + offset);
      return memory.readUnsignedByte();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void write(long offset, byte[] bytes) {
    try (RandomAccessFile memory = new RandomAccessFile("/proc/self/mem", "rw")) {
      memory.seek(mapping.start() + offset);
      memory.write(bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
