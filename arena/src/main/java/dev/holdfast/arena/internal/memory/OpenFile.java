package dev.holdfast.arena.internal.memory;

import dev.holdfast.arena.internal.life.Quarantine;
import dev.holdfast.arena.internal.os.Descriptors;
import dev.holdfast.arena.internal.os.Errno;
import dev.holdfast.arena.internal.os.ErrnoException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * An open descriptor, and the draft's name that its file may have. It is there before the file is
 * opened, so that nobody has to make an object for what is open already; and what there is no heap
 * or stack to give back goes to the quarantine, since most of those who close a file come only
 * once.
 */
final class OpenFile extends Quarantine.Retained {
  private static final int NONE = -1;

  private final String place;
  private final @Nullable Path draft;

  private int descriptor = NONE; // written once; all three before anybody else has this
  private boolean open; // guarded by this
  private boolean drafted; // guarded by this

  /** Opens a file. */
  interface Opening {
    int open() throws ErrnoException;
  }

  private OpenFile(String place, @Nullable Path draft) {
    this.place = place;
    this.draft = draft;
  }

  /** Opens a file. */
  static OpenFile of(String place, Opening opening) throws ErrnoException {
    return opened(new OpenFile(place, null), opening);
  }

  /** Opens a file that has a draft's name from then on. */
  static OpenFile ofDraft(String place, Path draft, Opening opening) throws ErrnoException {
    return opened(new OpenFile(place, draft), opening);
  }

  private static OpenFile opened(OpenFile file, Opening opening) throws ErrnoException {
    file.descriptor = opening.open();
    file.open = true;
    file.drafted = file.draft != null;
    return file;
  }

  /** Returns the descriptor, open until {@link #close}. */
  int descriptor() {
    return descriptor;
  }

  /** Returns the draft's name, or null when the file never had one. */
  @Nullable Path draft() {
    return draft;
  }

  /** Returns whether a name leads to this file. */
  boolean leadsHere(Path name) {
    try {
      Object own = Files.getAttribute(Path.of("/proc/self/fd/" + descriptor), "unix:ino");
      return own.equals(Files.getAttribute(name, "unix:ino", LinkOption.NOFOLLOW_LINKS));
    } catch (IOException e) {
      return false;
    }
  }

  /** Removes the draft's name if it is there. */
  synchronized void removeDraft() {
    if (!drafted) {
      return;
    }
    try {
      Descriptors.unlink(String.valueOf(draft));
    } catch (ErrnoException e) {
      if (e.errno() != Errno.ENOENT) {
        throw new IllegalStateException("a draft could not be removed: file=" + draft, e);
      }
    }
    drafted = false;
  }

  /** Removes the draft's name and closes the descriptor. Repeating it does nothing. */
  synchronized void close() {
    try {
      end();
    } catch (OutOfMemoryError | StackOverflowError e) {
      Quarantine.add(this);
    }
  }

  private void end() {
    if (!open) {
      return;
    }
    @Nullable IllegalStateException refused = null;
    try {
      removeDraft();
    } catch (IllegalStateException e) {
      refused = e;
    }
    try {
      Descriptors.close(descriptor);
      open = false;
    } catch (ErrnoException e) {
      open = false;
      throw new IllegalStateException("cannot close the descriptor of " + place, e);
    }
    if (refused != null) {
      throw refused;
    }
  }

  @Override
  public String what() {
    return "descriptor of " + place;
  }

  @Override
  public String why() {
    return "there was no heap or no stack to close it";
  }

  @Override
  public synchronized boolean retry() {
    try {
      end();
    } catch (RuntimeException | Error e) {
      return !open;
    }
    return true;
  }
}
