package dev.holdfast.loader.internal.launch;

import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.internal.fault.FaultPoint;
import dev.holdfast.arena.internal.memory.SharedFile;
import dev.holdfast.arena.internal.os.ProcessIdentity;
import dev.holdfast.loader.SubprocessOptions;
import dev.holdfast.loader.WorkerDiedException;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A worker as its parent sees it: the process, its last words, and how it ended. Thread-safe. Its
 * threads are daemons and know nothing of whoever uses the worker.
 */
public final class WorkerProcess {
  private static final int COMMAND_CHARS = 2000;

  private final Process process;
  private final @Nullable ProcessIdentity identity;
  private final String command;
  private final ArgumentFile argumentFile;
  private final DeathReport report;
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile int exitCode = -1;

  private WorkerProcess(
      Process process, List<String> command, ArgumentFile argumentFile, DeathReport report) {
    this.process = process;
    this.command = cut(String.join(" ", command));
    this.identity = ProcessIdentity.of(process.pid());
    this.argumentFile = argumentFile;
    this.report = report;
  }

  /**
   * Starts a worker.
   *
   * @param options how
   * @param channel the channel's memory, which becomes its standard input
   * @param onEnd runs on a thread of ours when it has ended
   * @throws WorkerDiedException when it cannot be started
   */
  public static WorkerProcess start(SubprocessOptions options, SharedFile channel, Runnable onEnd) {
    WorkerCommand command = WorkerCommand.of(options);
    @Nullable ArgumentFile arguments = null;
    @Nullable OutputStream out = null;
    @Nullable OutputStream err = null;
    try {
      arguments = ArgumentFile.of(command);
      out = OutputPump.open(options.standardOutput(), System.out);
      err = OutputPump.open(options.standardError(), System.err);
      ProcessBuilder builder = command.toBuilder(options, arguments.path());
      builder.redirectInput(new File("/proc/self/fd/" + channel.descriptor()));
      Launcher.Launched launched = Launcher.start(builder, Durations.nanos(options.startTimeout()));
      try {
        return watched(launched, builder.command(), options, arguments, out, err, onEnd);
      } catch (RuntimeException | Error e) {
        launched.abandon(); // nobody else knows of it
        throw e;
      }
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      // the JVM calls a thread that the system refuses a lack of memory
      closeQuietly(arguments, e);
      closeQuietly(out, e);
      closeQuietly(err, e);
      throw new WorkerDiedException(
          FailureDetail.of("the worker process could not be started")
              .with("java", Path.of(System.getProperty("java.home"), "bin", "java"))
              .with("reason", String.valueOf(e.getMessage()))
              .advise("check java.home, the working directory, output files and process limits"),
          e);
    }
  }

  private static WorkerProcess watched(
      Launcher.Launched launched,
      List<String> command,
      SubprocessOptions options,
      ArgumentFile arguments,
      OutputStream out,
      OutputStream err,
      Runnable onEnd) {
    Process process = launched.process();
    String name = "holdfast-worker-" + process.pid();
    DeathReport report =
        new DeathReport(
            OutputPump.start(name + "-out", launched.output(), out),
            OutputPump.start(name + "-err", launched.errors(), err),
            options.jvmArgs(),
            options.workingDirectory().orElse(null));
    WorkerProcess worker = new WorkerProcess(process, command, arguments, report);
    var _ = Thread.ofPlatform().daemon().name(name + "-end").start(() -> worker.watch(onEnd));
    return worker;
  }

  /** Returns the process id. */
  public long pid() {
    return process.pid();
  }

  /** Says that the worker has read its command line. */
  public void started() {
    argumentFile.close();
  }

  /** Returns whether the process has ended and been reaped. */
  public boolean hasEnded() {
    return ended.getCount() == 0;
  }

  /**
   * Waits for the end; an interrupt is kept for later.
   *
   * @param nanos how long at most
   * @return true when it has ended
   */
  public boolean awaitEnd(long nanos) {
    long start = System.nanoTime();
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return ended.await(nanos - (System.nanoTime() - start), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Asks the process to end, by SIGTERM. */
  public void terminate() {
    process.destroy();
  }

  /** Ends the process, by SIGKILL. */
  public void kill() {
    var _ = process.destroyForcibly();
  }

  /** Returns what the process is doing. */
  public String state() {
    return switch (identity == null ? 'X' : identity.state()) {
      case 'R' -> "running";
      case 'S', 'I' -> "sleeping";
      case 'D' -> "waiting for a device";
      case 'T', 't' -> "stopped";
      case 'X' -> "ended";
      default -> "unknown";
    };
  }

  /** Waits a moment until what a process that has ended wrote last is written on. */
  public void awaitOutputs() {
    report.awaitOutputs();
  }

  /**
   * Describes how the process ended.
   *
   * @param what what happened, as the message begins
   * @return the detail, with exit code or signal, last lines and the JVM's crash report
   */
  public FailureDetail death(String what) {
    return report.ended(what, pid(), exitCode);
  }

  /**
   * Describes how a process ended that had not been ready.
   *
   * @param what what happened, as the message begins
   * @return the detail, with all that both streams said last, and the command
   */
  public FailureDetail deathAtStart(String what) {
    return report.endedEarly(what, pid(), exitCode).with("command", command);
  }

  /** Adds the pid, the state and the last lines of a process that lives. */
  public FailureDetail withState(FailureDetail detail) {
    return report.withLastLines(detail.with("pid", pid()).with("state", state()));
  }

  private void watch(Runnable onEnd) {
    boolean over = false;
    while (!over) {
      try {
        exitCode = process.waitFor();
        over = true;
      } catch (InterruptedException e) {
        over = false; // nobody but a debugger interrupts it, and somebody has to tell of the end
      }
    }
    argumentFile.close();
    if (FaultPoint.ENABLED) {
      FaultPoint.PARENT_REAPED_WORKER.reach();
    }
    ended.countDown();
    onEnd.run();
  }

  private static String cut(String line) {
    return line.length() <= COMMAND_CHARS ? line : line.substring(0, COMMAND_CHARS) + "...";
  }

  private static void closeQuietly(@Nullable AutoCloseable resource, Throwable failure) {
    if (resource != null) {
      try {
        resource.close();
      } catch (Exception e) {
        failure.addSuppressed(e);
      }
    }
  }
}
