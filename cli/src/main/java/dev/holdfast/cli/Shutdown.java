package dev.holdfast.cli;

import dev.holdfast.cli.text.UsageException;
import dev.holdfast.loader.WorkerDiedException;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.ParameterException;

/** What a failure means for the end of the process. */
final class Shutdown {
  private static final long GRACE_NANOS = 200_000_000;

  private Shutdown() {}

  /**
   * Returns whether the JVM is ending already, on SIGINT for example, so that a failure is only a
   * consequence. A terminal sends its signal to the worker too, whose death may be seen here before
   * our own signal is.
   */
  static boolean underWay(Throwable failure) {
    if (failure instanceof WorkerDiedException) {
      LockSupport.parkNanos(GRACE_NANOS);
    }
    try {
      Thread probe = new Thread(() -> {}, "holdfast-shutdown-probe");
      Runtime.getRuntime().addShutdownHook(probe);
      Runtime.getRuntime().removeShutdownHook(probe);
      return false;
    } catch (IllegalStateException e) {
      return true;
    }
  }

  static int exitCode(Throwable failure) {
    boolean usage = failure instanceof UsageException || failure instanceof ParameterException;
    return usage ? Main.BAD_USAGE : Main.FAILED;
  }
}
