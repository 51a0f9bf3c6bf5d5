package dev.holdfast.arena.internal.memory;

import dev.holdfast.arena.internal.fault.FaultPoint;
import dev.holdfast.arena.internal.life.ExitHook;
import dev.holdfast.arena.internal.life.Logs;
import dev.holdfast.arena.internal.life.Once;
import dev.holdfast.arena.internal.life.Steps;
import dev.holdfast.arena.internal.os.Descriptors;
import dev.holdfast.arena.internal.os.Errno;
import dev.holdfast.arena.internal.os.ErrnoException;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The name that a file will have once it is whole. Names that are left when the process exits are
 * removed by the exit hook; those of a killed process are stale, because its lock is gone.
 */
final class PendingName {
  private static final Logger LOG = Logs.of("dev.holdfast.arena");
  private static final Set<PendingName> NAMED = ConcurrentHashMap.newKeySet();
  private static final Once<ExitHook.Step> EXIT_STEP =
      new Once<>(() -> ExitHook.atExit("remove the names of arenas", PendingName::unlinkAll));

  private final Path name;
  private final OpenFile file;

  PendingName(Path name, OpenFile file) {
    this.name = name;
    this.file = file;
  }

  /** Gives the whole, locked file its name. */
  void link() {
    if (FaultPoint.ENABLED) {
      FaultPoint.FILE_READY.reach();
    }
    var _ = EXIT_STEP.get();
    NAMED.add(this);
    Path draft = file.draft();
    try {
      if (draft == null) {
        Descriptors.link(file.descriptor(), name.toString());
      } else {
        Files.createLink(name, draft);
        file.removeDraft();
      }
    } catch (IOException e) {
      NAMED.remove(this);
      throw new IllegalArgumentException("the backing file could not be named: file=" + name, e);
    }
  }

  /** Removes the name if it still leads to the file. */
  void remove() {
    unlinkIfOurs();
    NAMED.remove(this);
  }

  private static void unlinkAll() {
    Steps steps = new Steps();
    NAMED.forEach(name -> steps.run(name::unlinkIfOurs));
    steps.end();
  }

  private void unlinkIfOurs() {
    if (!file.leadsHere(name)) {
      LOG.log(Logger.Level.DEBUG, () -> "the name of an arena is gone already: " + name);
      return;
    }
    try {
      Descriptors.unlink(name.toString());
    } catch (ErrnoException e) {
      if (e.errno() != Errno.ENOENT) {
        LOG.log(
            Logger.Level.WARNING, () -> "the name of an arena could not be removed: " + name, e);
      }
    }
  }
}
