package dev.holdfast.cli.bench;

import dev.holdfast.arena.Backing;
import dev.holdfast.arena.internal.memory.MemoryMapping;
import dev.holdfast.arena.internal.memory.SharedFile;

/** The consumer's end of a {@link PassLength}. */
final class PassBoard implements AutoCloseable {
  private final SharedFile file =
      SharedFile.create(Backing.memfd(), "holdfast-bench", PassLength.BYTES);
  private final MemoryMapping mapping = file.map();

  PassLength length() {
    return new PassLength(ProcessHandle.current().pid(), file.descriptor(), file.linkText());
  }

  /** Says how many items each further pass has that is neither the warm-up nor a round trip. */
  void announce(int items) {
    mapping.words().setVolatile(PassLength.ITEMS, items);
  }

  @Override
  public void close() {
    mapping.release();
    file.close();
  }
}
