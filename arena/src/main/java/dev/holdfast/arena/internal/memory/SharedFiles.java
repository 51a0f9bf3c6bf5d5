package dev.holdfast.arena.internal.memory;

import dev.holdfast.arena.Backing;
import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.InsufficientSharedMemoryException;
import dev.holdfast.arena.internal.fault.FaultPoint;
import dev.holdfast.arena.internal.life.Logs;
import dev.holdfast.arena.internal.os.Descriptors;
import dev.holdfast.arena.internal.os.Errno;
import dev.holdfast.arena.internal.os.ErrnoException;
import dev.holdfast.arena.internal.os.Mappings;
import dev.holdfast.arena.internal.os.NativeAccess;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes the files behind arenas and channels. Pages are reserved before anybody maps them, so that
 * lack of space is an exception here and not SIGBUS later; whatever fails half-way is undone.
 */
public final class SharedFiles {
  private static final Logger LOG = Logs.of("dev.holdfast.arena");
  private static final long RESERVE_PIECE = 64L << 20;
  private static final AtomicBoolean FALLBACK_REPORTED = new AtomicBoolean();

  private SharedFiles() {}

  static SharedFile create(Backing backing, String label, long byteSize) {
    NativeAccess.require();
    return switch (backing) {
      case Backing.Memfd _ -> createMemfd(label, byteSize);
      case Backing.Standard _ -> createStandard(label, byteSize);
      case Backing.Directory(String folder) ->
          createInFolder(Path.of(folder).toAbsolutePath(), byteSize);
      case Backing.NamedFile(String file) -> createNamed(Path.of(file), byteSize);
    };
  }

  /** Returns the size of the pages that a backing gives, in bytes. */
  public static long pageSize(Backing backing) {
    NativeAccess.require();
    if (backing instanceof Backing.Directory(String folder)) {
      try {
        Path path = Path.of(folder);
        if (Files.isDirectory(path) && Files.getFileStore(path).type().equals("hugetlbfs")) {
          return Files.getFileStore(path).getBlockSize();
        }
      } catch (IOException e) {
        requireDescriptor(folder);
        throw new IllegalArgumentException(
            "cannot read the folder of the backing: folder=" + folder, e);
      }
    }
    return Mappings.pageSize();
  }

  /** The JDK takes a lack of descriptors for a mount that is not there. */
  private static void requireDescriptor(String folder) {
    try {
      OpenFile.of(
              "/dev/null",
              () -> Descriptors.open("/dev/null", Descriptors.O_RDONLY | Descriptors.O_CLOEXEC, 0))
          .close();
    } catch (ErrnoException e) {
      throw refused("the folder of the backing cannot be read", folder, Mappings.pageSize(), e);
    }
  }

  private static SharedFile createStandard(String label, long byteSize) {
    try {
      return createMemfd(label, byteSize);
    } catch (UnsupportedOperationException e) {
      Path shm = Path.of("/dev/shm");
      Path folder = Files.isWritable(shm) ? shm : Path.of(System.getProperty("java.io.tmpdir"));
      if (FALLBACK_REPORTED.compareAndSet(false, true)) {
        LOG.log(
            Logger.Level.WARNING,
            "memfd is refused here, arenas lie in {0}: {1}",
            folder,
            e.getMessage());
      }
      return createInFolder(folder, byteSize);
    }
  }

  private static SharedFile createMemfd(String label, long byteSize) {
    Place place = Place.memory("memfd:" + label);
    step();
    place.requireSpace(byteSize, byteSize);
    return finish(
        () -> openMemfd(place, label, byteSize),
        place,
        byteSize,
        null,
        file -> {
          int descriptor = file.descriptor();
          Descriptors.setMode(descriptor, Draft.OWNER_ONLY); // memfd_create gives everybody's
          reserve(descriptor, place, byteSize);
          Descriptors.addSeals(
              descriptor, Descriptors.SEAL_SHRINK | Descriptors.SEAL_GROW | Descriptors.SEAL_SEAL);
        });
  }

  private static OpenFile openMemfd(Place place, String label, long byteSize) {
    int flags = Descriptors.MFD_CLOEXEC | Descriptors.MFD_ALLOW_SEALING;
    try {
      return OpenFile.of(place.name(), () -> memfd(label, flags));
    } catch (ErrnoException e) {
      if (e.errno() == Errno.EPERM || e.errno() == Errno.ENOSYS || e.errno() == Errno.EACCES) {
        throw new UnsupportedOperationException(
            FailureDetail.of("the system refuses memfd_create")
                .with("reason", String.valueOf(e.getMessage()))
                .advise("use Backing.directory with a tmpfs such as /dev/shm")
                .message(),
            e);
      }
      throw refused("shared memory could not be opened", place.name(), byteSize, e);
    }
  }

  private static int memfd(String label, int flags) throws ErrnoException {
    try {
      return Descriptors.memfd(label, flags | Descriptors.MFD_NOEXEC_SEAL);
    } catch (ErrnoException e) {
      if (e.errno() != Errno.EINVAL) {
        throw e;
      }
      return Descriptors.memfd(label, flags); // kernels before 6.3 do not know the flag
    }
  }

  /**
   * A file in a folder has no name once it is reserved; until then a draft's name, where it needs
   * one.
   */
  private static SharedFile createInFolder(Path folder, long byteSize) {
    Place place = Place.inFolder(folder, folder.toString());
    return finish(
        () -> Draft.open(place, byteSize),
        place,
        byteSize,
        null,
        file -> {
          try {
            reserve(file.descriptor(), place, byteSize);
          } finally {
            file.removeDraft();
          }
        });
  }

  /** A named file is locked and whole before it has its name. */
  private static SharedFile createNamed(Path file, long byteSize) {
    Path name = file.toAbsolutePath();
    Path folder = name.getParent();
    if (folder == null) {
      throw new IllegalArgumentException("the backing file needs a folder: file=" + file);
    }
    Place place = Place.inFolder(folder, file.toString());
    StaleFiles.requireFree(name);
    return finish(
        () -> Draft.open(place, byteSize),
        place,
        byteSize,
        name,
        draft -> reserve(draft.descriptor(), place, byteSize));
  }

  private interface Filling {
    void run(OpenFile file) throws ErrnoException;
  }

  /** All that needs heap is made before the file is open, or inside the try. */
  private static SharedFile finish(
      Supplier<OpenFile> opening,
      Place place,
      long byteSize,
      @Nullable Path name,
      Filling filling) {
    OpenFile open = opening.get();
    try {
      step();
      SharedFile file =
          new SharedFile(
              open, byteSize, place.name(), name == null ? null : new PendingName(name, open));
      filling.run(open);
      step();
      return file;
    } catch (ErrnoException e) {
      open.close();
      throw refused("shared memory could not be reserved", place.name(), byteSize, e);
    } catch (RuntimeException | Error e) {
      open.close();
      throw e;
    }
  }

  private static void reserve(int descriptor, Place place, long byteSize) throws ErrnoException {
    if (FaultPoint.ENABLED) {
      FaultPoint.FILE_CREATED.reach();
    }
    Descriptors.setSize(descriptor, byteSize);
    for (long done = 0; done < byteSize; done += RESERVE_PIECE) {
      step();
      place.requireSpace(byteSize, byteSize - done);
      Descriptors.reserve(descriptor, done, Math.min(RESERVE_PIECE, byteSize - done));
    }
  }

  static InsufficientSharedMemoryException refused(
      String what, String place, long byteSize, ErrnoException e) {
    String advice =
        switch (e.errno()) {
          case Errno.EMFILE, Errno.ENFILE -> "close files or raise the limit on open files";
          case Errno.ENOMEM ->
              "ask for less, or raise vm.max_map_count or the limit on address space";
          case Errno.EFBIG -> "raise the limit on the size of files";
          default -> "ask for less or name another folder as backing";
        };
    return new InsufficientSharedMemoryException(
        FailureDetail.of(what)
            .with("place", place)
            .with("bytesAsked", byteSize)
            .with("reason", String.valueOf(e.getMessage()))
            .advise(advice),
        e);
  }

  static void step() {
    if (FaultPoint.ENABLED) {
      FaultPoint.CONSTRUCTION_STEP.reach();
    }
  }
}
