package dev.holdfast.acceptance.worker;

import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.pipeline.Pipeline;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Parent;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A parent of a worker and of a pipeline's host, which ends only when it is killed. */
final class HostAndWorkerMain {
  /** The file that the host makes when it is asked to end and then sees that the worker is gone. */
  static final String SEEN = "seen";

  private static final String WORKER = "worker";

  @SuppressWarnings("unused") // kept, and never closed
  private static @Nullable List<SubprocessIterable<?>> kept;

  private HostAndWorkerMain() {}

  /** Returns when it is told to. */
  public static void main(String[] arguments) throws IOException {
    String folder = arguments[0];
    SubprocessIterable<Integer> host =
        Subprocess.iterate(
            Pipeline.from(List.of(1, 2, 3)).<Integer>map(item -> item),
            Workers.options().initializer(_ -> lookAtExit(folder)).build());
    SubprocessIterable<Map<String, Object>> worker =
        Subprocess.iterate(Workers.stamped(3), Workers.options().build());
    kept = List.of(host, worker);
    var _ = Files.writeString(Path.of(folder, WORKER), String.valueOf(worker.pid()));
    Parent.say("HOST " + host.pid());
    Parent.say("WORKER " + worker.pid());
    var _ = Parent.read();
  }

  private static void lookAtExit(String folder) {
    Runtime.getRuntime().addShutdownHook(new Thread(() -> look(Path.of(folder))));
  }

  private static void look(Path folder) {
    try {
      long worker = Long.parseLong(Files.readString(folder.resolve(WORKER)));
      while (Pids.isAlive(worker)) {
        Pids.pause();
      }
      var _ = Files.writeString(folder.resolve(SEEN), String.valueOf(worker));
      Deadlines.pause(Workers.FOR_EVER);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
