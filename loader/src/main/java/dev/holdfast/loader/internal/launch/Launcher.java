package dev.holdfast.loader.internal.launch;

import dev.holdfast.arena.internal.life.Once;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The thread that starts all workers. It never ends: the kernel sends the signal that a worker
 * asked for when the <em>thread</em> that forked it ends (prctl(2), PR_SET_PDEATHSIG), not its
 * process.
 *
 * <p>A child that is stopped before it runs its program keeps the thread that forked it, for ever
 * perhaps. Then another thread takes over, and the child is killed as soon as the first one
 * returns.
 */
final class Launcher {
  private static final BlockingQueue<Runnable> REQUESTS = new LinkedBlockingQueue<>();
  private static final Once<Thread> FIRST = new Once<>(Launcher::addThread);

  /**
   * A process that runs, and what it writes.
   *
   * @param process the process
   * @param output its standard output, to be closed by whoever reads it
   * @param errors its standard error, likewise
   */
  record Launched(Process process, InputStream output, InputStream errors) {
    /** Ends what nobody wants any more. */
    void abandon() {
      var _ = process.destroyForcibly();
      try (output;
          errors) {
        // closes both
      } catch (IOException e) {
        // nobody reads them
      }
    }
  }

  private Launcher() {}

  /**
   * Starts a process. Does not end early when the caller is interrupted, since the process would be
   * lost then.
   *
   * @param builder how, but for where its outputs go
   * @param limitNanos how long it may take
   * @return the process and its outputs
   * @throws IOException when it cannot be started
   */
  static Launched start(ProcessBuilder builder, long limitNanos) throws IOException {
    FutureTask<Launched> request = new FutureTask<>(() -> launch(builder));
    var _ = FIRST.get();
    REQUESTS.add(request);
    boolean interrupted = false;
    long start = System.nanoTime();
    try {
      while (true) {
        try {
          return request.get(limitNanos - (System.nanoTime() - start), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException failure) {
        throw failure;
      }
      throw new IOException("the process could not be started", e.getCause());
    } catch (TimeoutException e) {
      var _ = addThread();
      killWhenStarted(request);
      throw new IOException("the process did not run its program in time", e);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * The pipes belong to the thread that starts, so that a start which takes too long keeps them.
   */
  private static Launched launch(ProcessBuilder builder) throws IOException {
    SpareDescriptors.require();
    SpareThreads.require();
    @Nullable Launched launched = null;
    try (OutputPipe output = OutputPipe.open();
        OutputPipe errors = OutputPipe.open()) {
      builder.redirectOutput(output.writeEnd()).redirectError(errors.writeEnd());
      launched = new Launched(builder.start(), output.takeReader(), errors.takeReader());
      return launched;
    } catch (IOException | RuntimeException | Error e) {
      if (launched != null) {
        launched.abandon(); // an end to write could not be closed, and the caller gets nothing
      }
      throw e;
    }
  }

  private static Thread addThread() {
    return Thread.ofPlatform().daemon().name("holdfast-launcher").start(Launcher::serveForEver);
  }

  private static void serveForEver() {
    while (true) {
      try {
        REQUESTS.take().run();
      } catch (InterruptedException e) {
        // nobody but a debugger interrupts it, and it must not end
      }
    }
  }

  private static void killWhenStarted(FutureTask<Launched> request) {
    var _ =
        Thread.ofPlatform()
            .daemon()
            .name("holdfast-launcher-late")
            .start(
                () -> {
                  try {
                    request.get().abandon();
                  } catch (InterruptedException | ExecutionException e) {
                    // there is no process then
                  }
                });
  }
}
