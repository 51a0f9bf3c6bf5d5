package dev.holdfast.loader.internal.launch;

import dev.holdfast.arena.Backing;
import dev.holdfast.arena.internal.memory.MemoryMapping;
import dev.holdfast.arena.internal.memory.SharedFile;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A command line that is too long for execve(2), in memory without a name. Closed when the worker
 * has read it.
 */
final class ArgumentFile implements AutoCloseable {
  private final @Nullable SharedFile file;

  private ArgumentFile(@Nullable SharedFile file) {
    this.file = file;
  }

  /** Writes the file if the command needs one. */
  static ArgumentFile of(WorkerCommand command) {
    if (!command.needsArgumentFile()) {
      return new ArgumentFile(null);
    }
    byte[] text = command.argumentFile().getBytes(StandardCharsets.UTF_8);
    SharedFile file = SharedFile.create(Backing.standard(), "holdfast-arguments", text.length);
    MemoryMapping mapping = file.map();
    MemorySegment.copy(MemorySegment.ofArray(text), 0, mapping.segment(), 0, text.length);
    mapping.release();
    return new ArgumentFile(file);
  }

  /** Returns the path by which the worker reads it, empty when there is none. */
  String path() {
    return file == null ? "" : file.procPath();
  }

  @Override
  public void close() {
    if (file != null) {
      file.close();
    }
  }
}
