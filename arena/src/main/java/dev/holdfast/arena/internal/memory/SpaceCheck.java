package dev.holdfast.arena.internal.memory;

import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.InsufficientSharedMemoryException;
import dev.holdfast.arena.internal.os.Descriptors.MountSpace;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Compares a size with every limit that could end in SIGBUS or in the OOM killer later: the mount,
 * the machine's available memory, each memory cgroup up to the root, and the limit on the size of
 * files.
 */
public final class SpaceCheck {
  /** What the JVM itself may still need: its own code and data grow while it runs. */
  private static final long LEFT_TO_THE_JVM = 32L << 20;

  /**
   * One limit.
   *
   * @param name as errors name it
   * @param freeBytes what is left under it
   */
  record Limit(String name, long freeBytes) {}

  private SpaceCheck() {}

  /**
   * Fails when this process could not get private memory of a size without ending in the OOM
   * killer.
   *
   * @param what the memory would be for
   * @param byteSize how much
   * @return how much would be left
   */
  public static long requireMemory(String what, long byteSize) {
    Limit tightest = tightestOfMemory();
    if (tightest.freeBytes < byteSize) {
      throw new InsufficientSharedMemoryException(
          FailureDetail.of("not enough memory for " + what)
              .with("bytesAsked", byteSize)
              .with("bytesFree", tightest.freeBytes)
              .with("limit", tightest.name)
              .advise("release what is kept sooner, or raise that limit"));
    }
    return tightest.freeBytes - byteSize;
  }

  /** Returns the limit on memory that has the least left for others than the JVM itself. */
  static Limit tightestOfMemory() {
    Limit tightest = tightest(limits(null, true));
    return new Limit(tightest.name, Math.max(0, tightest.freeBytes - LEFT_TO_THE_JVM));
  }

  private static Limit tightest(List<Limit> limits) {
    Limit tightest = new Limit("none", Long.MAX_VALUE);
    for (Limit limit : limits) {
      if (limit.freeBytes < tightest.freeBytes) {
        tightest = limit;
      }
    }
    return tightest;
  }

  /**
   * Fails when a mount takes no further file. Asked before the file is made, which may be the last
   * one.
   *
   * @param place where the file would be
   * @param byteSize its size
   * @param mount the mount
   */
  static void requireFile(String place, long byteSize, MountSpace mount) {
    if (mount.inodes() > 0 && mount.freeInodes() == 0) {
      throw new InsufficientSharedMemoryException(
          FailureDetail.of("no room for another file")
              .with("place", place)
              .with("bytesAsked", byteSize)
              .with("bytesFree", mount.freeBytes())
              .with("filesFree", 0)
              .advise("remove files from the mount or name another folder as backing"));
    }
  }

  /**
   * Fails when there is no room.
   *
   * @param place where the memory would come from
   * @param byteSize all bytes that are asked for
   * @param stillToReserve the part of them that is not reserved yet
   * @param mount the mount, or null when there is none
   * @param takesMemory whether the bytes are memory and not disk
   */
  static void require(
      String place,
      long byteSize,
      long stillToReserve,
      @Nullable MountSpace mount,
      boolean takesMemory) {
    Limit tightest = tightest(limits(mount, takesMemory));
    if (tightest.freeBytes < stillToReserve) {
      throw shortage(place, byteSize, tightest);
    }
    long fileSizeLimit = ProcFiles.fileSizeLimit();
    if (fileSizeLimit < byteSize) {
      throw shortage(place, byteSize, new Limit("file size limit (RLIMIT_FSIZE)", fileSizeLimit));
    }
  }

  static InsufficientSharedMemoryException shortage(String place, long byteSize, Limit limit) {
    return new InsufficientSharedMemoryException(
        FailureDetail.of("not enough shared memory")
            .with("place", place)
            .with("bytesAsked", byteSize)
            .with("bytesFree", Math.max(0, limit.freeBytes))
            .with("limit", limit.name)
            .advise("ask for less, raise that limit, or name another folder as backing"));
  }

  private static List<Limit> limits(@Nullable MountSpace mount, boolean takesMemory) {
    List<Limit> limits = new ArrayList<>();
    if (mount != null) {
      limits.add(new Limit("mount", mount.freeBytes()));
    }
    if (takesMemory) {
      limits.add(new Limit("MemAvailable", ProcFiles.availableMemory()));
      limits.addAll(MemoryCgroups.limits());
    }
    return limits;
  }
}
