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
  CopyWay JVM =
      inPieces(
          JVM_PIECE,
          (source, target) -> MemorySegment.copy(source, 0, target, 0, source.byteSize()));

  /** By the C library, which knows nothing of read-only segments and of files that are cut. */
  CopyWay LIBRARY = inPieces(LIBRARY_PIECE, LibraryCopy::copy);

  /** Copies. */
  void copy(MemorySegment source, MemorySegment target);

  private static CopyWay inPieces(long pieceBytes, CopyWay ofOne) {
    return (source, target) -> {
      long byteSize = source.byteSize();
      for (long done = 0; done < byteSize; done += pieceBytes) {
        long piece = Math.min(pieceBytes, byteSize - done);
        ofOne.copy(source.asSlice(done, piece), target.asSlice(done, piece));
      }
    };
  }
}
