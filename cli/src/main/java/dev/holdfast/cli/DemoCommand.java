package dev.holdfast.cli;

import dev.holdfast.arena.Backing;
import dev.holdfast.arena.FailureDetail;
import dev.holdfast.cli.demo.Demo;
import dev.holdfast.cli.demo.DemoOptions;
import dev.holdfast.cli.demo.DrawnPictures;
import dev.holdfast.cli.text.Output;
import dev.holdfast.cli.text.UsageException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code holdfast demo}. */
@Command(
    name = "demo",
    description = {
      "Decodes the pictures of a folder in a worker process and computes their mean and deviation"
          + " here.",
      "Each file of the folder itself counts as delivered or failed."
    })
final class DemoCommand implements Callable<Integer> {
  private static final int DRAWN = 512;
  private static final String MEMFD = "memfd";

  private final PrintStream out;
  private final PrintStream err;

  @Parameters(
      arity = "0..1",
      paramLabel = "FOLDER",
      description = "The pictures. Without it " + DRAWN + " are drawn into a temporary folder.")
  private @Nullable Path folder;

  @Option(
      names = "--batch",
      paramLabel = "N",
      defaultValue = "32",
      description = "Pictures in a batch. Default: ${DEFAULT-VALUE}.")
  private int batch;

  @Option(
      names = "--transport",
      paramLabel = "NAME",
      defaultValue = "pool",
      description =
          "pool, ring, channel (no arena) or inline (no worker). Default: ${DEFAULT-VALUE}.")
  private DemoOptions.Transport transport = DemoOptions.Transport.POOL;

  @Option(
      names = "--segments",
      paramLabel = "N",
      defaultValue = "4",
      description =
          "Segments of the pool, one batch each, or batches that the ring holds. Default:"
              + " ${DEFAULT-VALUE}.")
  private int segments;

  @Option(
      names = "--backing",
      paramLabel = "memfd|FOLDER",
      defaultValue = MEMFD,
      description = "Where the arena's memory comes from. Default: ${DEFAULT-VALUE}.")
  private String backing = MEMFD;

  @Option(
      names = "--pin",
      paramLabel = "HOW",
      defaultValue = "none",
      description = "Page-lock the memory here: none, mlock or cuda. Default: ${DEFAULT-VALUE}.")
  private DemoOptions.Pin pin = DemoOptions.Pin.NONE;

  @Option(
      names = "--epochs",
      paramLabel = "N",
      defaultValue = "1",
      description = "Passes over the pictures, all in one worker. Default: ${DEFAULT-VALUE}.")
  private int epochs;

  @Option(
      names = "--workers",
      paramLabel = "N",
      defaultValue = "0",
      description = {
        "Have a region of N workers decode picture by picture, and make batches here.",
        "Default: one worker that makes the batches too."
      })
  private int workers;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description =
          "Write the figures there; with - to standard output, which has nothing else then.")
  private @Nullable String json;

  @Option(
      names = "--worker-jvm-arg",
      paramLabel = "OPTION",
      hidden = true,
      description = "An option for the worker's JVM; may be repeated.")
  private List<String> workerJvmArgs = List.of();

  DemoCommand(PrintStream out, PrintStream err) {
    this.out = out;
    this.err = err;
  }

  @Override
  public Integer call() throws IOException {
    UsageException.requireAtLeast("--batch", batch, 1);
    UsageException.requireAtLeast("--segments", segments, 1);
    UsageException.requireAtLeast("--epochs", epochs, 1);
    UsageException.requireAtLeast("--workers", workers, 0);
    if (workers > 0 && transport == DemoOptions.Transport.INLINE) {
      throw new UsageException(
          FailureDetail.of("there is no worker with --transport inline")
              .with("workers", workers)
              .advise("take pool, ring or channel"));
    }
    Backing memory =
        backing.equals(MEMFD)
            ? Backing.memfd()
            : Backing.directory(existing(Path.of(backing)).toAbsolutePath());
    Output output = Output.of(out, err, json);
    if (folder != null) {
      run(existing(folder), memory, output);
      return Main.DONE;
    }
    output.human().println("drawing " + DRAWN + " pictures into a temporary folder ...");
    output.human().flush();
    try (DrawnPictures drawn = DrawnPictures.draw(DRAWN)) {
      run(drawn.folder(), memory, output);
    }
    return Main.DONE;
  }

  private void run(Path pictures, Backing memory, Output output) throws IOException {
    new Demo(
            new DemoOptions(
                pictures, batch, transport, segments, memory, pin, epochs, workers, workerJvmArgs),
            output)
        .run();
  }

  private static Path existing(Path wanted) {
    if (!Files.isDirectory(wanted) || !Files.isReadable(wanted)) {
      throw new UsageException(
          FailureDetail.of("not a folder that can be read").with("folder", wanted));
    }
    return wanted;
  }
}
