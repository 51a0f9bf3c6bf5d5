package dev.holdfast.loader.internal.launch;

import dev.holdfast.arena.internal.life.Once;
import java.io.IOException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

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

  private Launcher() {}

  /**
   * Starts a process. Does not end early when the caller is interrupted, since the process would be
   * lost then.
   *
   * @param builder how
   * @param limitNanos how long it may take
   * @return the process
   * @throws IOException when it cannot be started
   */
  static Process start(ProcessBuilder builder, long limitNanos) throws IOException {
    FutureTask<Process> request =
        new FutureTask<>(
            () -> {
              SpareDescriptors.require();
              SpareThreads.require();
              return builder.start();
            });
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

  private static void killWhenStarted(FutureTask<Process> request) {
    var _ =
        Thread.ofPlatform()
            .daemon()
            .name("holdfast-launcher-late")
            .start(
                () -> {
                  try {
                    var _ = request.get().destroyForcibly();
                  } catch (InterruptedException | ExecutionException e) {
                    // there is no process then
                  }
                });
  }
}
