package dev.holdfast.cli.bench;

import dev.holdfast.arena.internal.memory.MemoryMapping;
import dev.holdfast.arena.internal.memory.SharedFile;
import java.io.Serializable;

/**
 * Where a producer finds how many items a pass has, which the consumer decides by how fast the ones
 * before came.
 *
 * @param pid the consumer's process
 * @param descriptor its descriptor of the shared memory
 * @param linkText what the descriptor's link says
 */
record PassLength(long pid, int descriptor, String linkText) implements Serializable {
  static final long BYTES = 4096;
  static final long ITEMS = 0;

  /** Returns the number, which is there before the pass is asked for. */
  int items() {
    try (SharedFile file = SharedFile.attach(pid, descriptor, linkText, BYTES)) {
      MemoryMapping mapping = file.map();
      try {
        return (int) mapping.words().getVolatile(ITEMS);
      } finally {
        mapping.release();
      }
    }
  }
}
