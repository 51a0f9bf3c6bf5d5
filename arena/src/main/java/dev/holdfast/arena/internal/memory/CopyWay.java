package dev.holdfast.arena.internal.memory;

import dev.holdfast.arena.internal.os.LibraryCopy;
import java.lang.foreign.MemorySegment;

/** How to copy all of a segment to another one of the same size. */
@FunctionalInterface
interface CopyWay {
  /** So that no piece keeps a safepoint waiting for more than a millisecond or so. */
  long JVM_PIECE = 8L << 20;

  /**
   * On x86-64 glibc copies with one string instruction, which need not read what it overwrites, as
   * long as a copy is shorter than a limit: on AMD the size of a core's second-level cache, 512 KiB
   * and more (glibc, sysdeps/x86/dl-cacheinfo.h, {@code rep_movsb_stop_threshold}).
   */
  long LIBRARY_PIECE = 480L << 10;

  /** By the JVM. */
  CopyWay JVM = CopyWay::byTheJvm;

  /** By the C library, which knows nothing of read-only segments and of files that are cut. */
  CopyWay LIBRARY = CopyWay::byTheLibrary;

  /** Copies. */
  void copy(MemorySegment source, MemorySegment target);

  private static void byTheJvm(MemorySegment source, MemorySegment target) {
    long byteSize = source.byteSize();
    for (long done = 0; done < byteSize; done += JVM_PIECE) {
      MemorySegment.copy(source, done, target, done, Math.min(JVM_PIECE, byteSize - done));
    }
  }

  private static void byTheLibrary(MemorySegment source, MemorySegment target) {
    long byteSize = source.byteSize();
    for (long done = 0; done < byteSize; done += LIBRARY_PIECE) {
      long piece = Math.min(LIBRARY_PIECE, byteSize - done);
      LibraryCopy.copy(source.asSlice(done, piece), target.asSlice(done, piece));
    }
  }
}
