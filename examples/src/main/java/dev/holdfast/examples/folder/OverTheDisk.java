package dev.holdfast.examples.folder;

import dev.holdfast.arena.payload.Tensor;
import dev.holdfast.loader.Lease;
import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.SubprocessOptions;
import dev.holdfast.loader.WorkerSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.IntStream;

/** Iterates over a worker's tensors through a {@link FolderArena}. */
public final class OverTheDisk {
  private static final int ITEMS = 8;

  private OverTheDisk() {}

  /**
   * Runs the example.
   *
   * @param args a folder on the disk to use, or nothing for the temporary folder
   * @throws IOException when the folder cannot be used
   */
  public static void main(String[] args) throws IOException {
    Path folder =
        args.length > 0
            ? Files.createTempDirectory(Path.of(args[0]), "holdfast-units-")
            : Files.createTempDirectory("holdfast-units-");
    WorkerSource<Tensor> source =
        context -> () -> IntStream.range(0, ITEMS).mapToObj(OverTheDisk::tensor).iterator();
    SubprocessOptions options =
        SubprocessOptions.builder().arena(new FolderArena(folder, 2)).build();
    try (SubprocessIterable<Tensor> items = Subprocess.iterate(source, options)) {
      for (Lease<Tensor> taken : items.leases()) {
        try (Lease<Tensor> lease = taken) {
          Tensor tensor = lease.item();
          System.out.println(
              Arrays.toString(tensor.shape()) + " ends with " + tensor.get(tensor.shape()[0] - 1));
        }
      }
    }
    Files.delete(folder); // empty: the iterable has closed and unlinked its arena
  }

  private static Tensor tensor(int number) {
    int[] values = new int[100_000 + number];
    Arrays.fill(values, number);
    return Tensor.of(values, values.length);
  }
}
