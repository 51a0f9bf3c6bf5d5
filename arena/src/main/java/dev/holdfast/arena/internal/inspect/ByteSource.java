package dev.holdfast.arena.internal.inspect;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Bytes of an arena, read by position: of its file, or of the memory of a process that maps it.
 * Nothing is mapped, so a file that is cut short meanwhile gives fewer bytes and no fault.
 *
 * @param channel open for reading
 * @param first where the arena's first byte lies in the channel
 * @param byteSize the arena's size
 */
record ByteSource(FileChannel channel, long first, long byteSize) implements Closeable {

  /** Opens a file. */
  static ByteSource ofFile(Path file) throws IOException {
    FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
    try {
      return new ByteSource(channel, 0, channel.size());
    } catch (IOException e) {
      channel.close();
      throw e;
    }
  }

  /** Opens a range of a process's memory. */
  static ByteSource ofMemory(long pid, long address, long byteSize) throws IOException {
    Path memory = Path.of("/proc/" + pid + "/mem");
    return new ByteSource(FileChannel.open(memory, StandardOpenOption.READ), address, byteSize);
  }

  /** Fills a buffer from the arena's start; fails when there are fewer bytes. */
  void read(ByteBuffer target) throws IOException {
    while (target.hasRemaining()) {
      int count = channel.read(target, first + target.position());
      if (count <= 0) {
        throw new IOException("there are only " + target.position() + " bytes");
      }
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
