package dev.holdfast.arena.internal.memory;

import dev.holdfast.arena.ArenaCorruptedException;
import dev.holdfast.arena.Backing;
import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.internal.life.Quarantine;
import dev.holdfast.arena.internal.os.Descriptors;
import dev.holdfast.arena.internal.os.ErrnoException;
import dev.holdfast.arena.internal.os.Mappings;
import dev.holdfast.arena.internal.os.NativeAccess;
import dev.holdfast.arena.internal.os.ProcessIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * An open descriptor of shared memory. Made by {@link SharedFiles#create} in the owner, by the
 * attach methods elsewhere. Closing it ends attaching and touches no mapping.
 */
public final class SharedFile extends Quarantine.Retained implements AutoCloseable {
  private final OpenFile open;
  private final long byteSize;
  private final FileTrace trace;
  private final @Nullable PendingName pendingName;
  private final AtomicBoolean named = new AtomicBoolean();

  SharedFile(OpenFile open, long byteSize, String place, @Nullable PendingName pendingName) {
    this(open, byteSize, FileTrace.of(place, Path.of(ownLink(open.descriptor()))), pendingName);
  }

  private SharedFile(
      OpenFile open, long byteSize, FileTrace trace, @Nullable PendingName pendingName) {
    this.open = open;
    this.byteSize = byteSize;
    this.trace = trace;
    this.pendingName = pendingName;
  }

  /**
   * Reserves shared memory; see {@link SharedFiles#create}.
   *
   * @param backing where from
   * @param label what {@code /proc/PID/maps} shows
   * @param byteSize all bytes
   */
  public static SharedFile create(Backing backing, String label, long byteSize) {
    return SharedFiles.create(backing, label, byteSize);
  }

  /**
   * Opens what another process of the same user has open.
   *
   * @param ownerPid its pid
   * @param ownerDescriptor its descriptor; -1 when the file is known by its name, the link text
   * @param linkText what the link of that descriptor must say, so that no other file is opened by
   *     mistake
   * @param byteSize the size that it must have
   */
  public static SharedFile attach(
      long ownerPid, int ownerDescriptor, String linkText, long byteSize) {
    return attach(ownerPid, ownerDescriptor, linkText, linkText, byteSize);
  }

  /**
   * Opens what another process of the same user has open.
   *
   * @param ownerPid its pid
   * @param ownerDescriptor its descriptor; -1 when the file is known by its name, the link text
   * @param linkText what the link of that descriptor must say
   * @param place how errors name the file; the link of one that got its name later does not
   * @param byteSize the size that it must have
   */
  public static SharedFile attach(
      long ownerPid, int ownerDescriptor, String linkText, String place, long byteSize) {
    if (ownerDescriptor < 0) {
      return attachPath(linkText, byteSize); // by somebody who had attached by name
    }
    Path link = Path.of("/proc/" + ownerPid + "/fd/" + ownerDescriptor);
    try {
      String text = Files.readSymbolicLink(link).toString();
      if (!text.equals(linkText)) {
        throw new ArenaCorruptedException(
            FailureDetail.of("the owner's descriptor leads to another file")
                .with("place", place)
                .with("link", link)
                .with("expected", linkText)
                .with("found", text)
                .advise("the arena was unlinked, or its owner has ended"));
      }
      return open(link.toString(), byteSize, place);
    } catch (IOException e) {
      throw cannotAttach(link.toString(), e);
    }
  }

  /** Opens a path of {@code /proc} or of a named file; a size of zero or less is not checked. */
  public static SharedFile attachPath(String path, long byteSize) {
    try {
      return open(path, byteSize, path);
    } catch (IOException e) {
      throw cannotAttach(path, e);
    }
  }

  private static SharedFile open(String path, long byteSize, String place) throws ErrnoException {
    NativeAccess.require();
    OpenFile open =
        OpenFile.of(
            place, () -> Descriptors.open(path, Descriptors.O_RDWR | Descriptors.O_CLOEXEC, 0));
    try {
      long size = Descriptors.size(open.descriptor());
      if (size < byteSize) {
        throw new ArenaCorruptedException(FileTrace.shrunken(place, byteSize, size));
      }
      if (size == 0) {
        throw new ArenaCorruptedException(
            FailureDetail.of("the backing file is empty")
                .with("place", place)
                .advise("somebody cut it short, or it never was an arena's"));
      }
      if (byteSize > 0 && size != byteSize) {
        throw new ArenaCorruptedException(
            FailureDetail.of("shared memory has another size than its description")
                .with("place", place)
                .with("expectedBytes", byteSize)
                .with("foundBytes", size));
      }
      requireSealed(open.descriptor(), place);
      return new SharedFile(open, size, FileTrace.of(place, Path.of(path)), null);
    } catch (ErrnoException | RuntimeException | Error e) {
      open.close();
      throw e;
    }
  }

  /** A memfd that could still be cut short would end in SIGBUS. */
  private static void requireSealed(int descriptor, String place) throws ErrnoException {
    if (!isMemfd(descriptor)) {
      return;
    }
    int needed = Descriptors.SEAL_SHRINK | Descriptors.SEAL_GROW;
    if ((Descriptors.seals(descriptor) & needed) != needed) {
      throw new ArenaCorruptedException(
          FailureDetail.of("shared memory is not sealed against changes of its size")
              .with("place", place));
    }
  }

  private static IllegalStateException cannotAttach(String path, IOException e) {
    return new IllegalStateException(
        FailureDetail.of("cannot attach to shared memory")
            .with("path", path)
            .with("reason", String.valueOf(e.getMessage()))
            .advise(
                "the owner must live, run as the same user, be dumpable (prctl(2)), and not have"
                    + " unlinked the arena; only processes of one user share an arena")
            .message(),
        e);
  }

  /** Returns the descriptor, open until {@link #close}. */
  public int descriptor() {
    return open.descriptor();
  }

  /** Returns the size in bytes. */
  public long byteSize() {
    return byteSize;
  }

  /** Returns where the memory comes from, as errors name it. */
  public String place() {
    return trace.place();
  }

  /** Returns what errors tell of the file, also when this is closed. */
  public FileTrace trace() {
    return trace;
  }

  /** Returns what the link of the descriptor says, for {@link #attach} in another process. */
  public String linkText() {
    return linkText(descriptor());
  }

  private static String ownLink(int descriptor) {
    return "/proc/self/fd/" + descriptor;
  }

  private static boolean isMemfd(int descriptor) {
    return linkText(descriptor).startsWith("/memfd:");
  }

  private static String linkText(int descriptor) {
    try {
      return Files.readSymbolicLink(Path.of(ownLink(descriptor))).toString();
    } catch (IOException e) {
      throw new IllegalStateException(
          "cannot read /proc/self/fd; Holdfast needs a mounted /proc", e);
    }
  }

  /** Returns the path by which a child of this process opens the file. */
  public String procPath() {
    return "/proc/" + ProcessIdentity.current().pid() + "/fd/" + descriptor();
  }

  /**
   * Gives a named file its name; call when its content is whole. Does nothing for other backings.
   */
  public void publishName() {
    if (pendingName != null && named.compareAndSet(false, true)) {
      pendingName.link();
    }
  }

  /** Removes the name of a named file if it still leads to this file; can be tried again. */
  private synchronized void removeName() {
    if (pendingName != null && named.compareAndSet(true, false)) {
      boolean removed = false;
      try {
        pendingName.remove();
        removed = true;
      } finally {
        named.set(!removed);
      }
    }
  }

  /** Maps all of the file. */
  public MemoryMapping map(List<UnmapStep> stepsBeforeUnmap) {
    try {
      return MemoryMapping.of(
          () -> Mappings.mapShared(descriptor(), byteSize),
          place(),
          stepsBeforeUnmap,
          !isMemfd(descriptor()));
    } catch (ErrnoException e) {
      throw SharedFiles.refused("shared memory could not be mapped", place(), byteSize, e);
    }
  }

  /** Maps all of the file, with nothing to do before unmapping. */
  public MemoryMapping map() {
    return map(List.of());
  }

  /**
   * Closes the descriptor. Repeating it does nothing. A descriptor that there was no heap to close
   * goes to the quarantine.
   */
  @Override
  public void close() {
    open.close();
  }

  /**
   * Removes the name and closes the descriptor, which is needed to know whose the name is. What
   * fails goes to the quarantine, and only a lack of heap or stack is no more than that.
   */
  public void unlink() {
    try {
      removeName();
    } catch (OutOfMemoryError | StackOverflowError e) {
      Quarantine.add(this);
      return;
    } catch (RuntimeException | Error e) {
      Quarantine.add(this);
      throw e;
    }
    close();
  }

  @Override
  public String what() {
    return "name and descriptor of " + place();
  }

  @Override
  public String why() {
    return "its name could not be removed, perhaps for lack of heap or stack";
  }

  @Override
  public boolean retry() {
    try {
      removeName();
    } catch (RuntimeException | Error e) {
      return false;
    }
    close();
    return true;
  }
}
