package dev.holdfast.examples;

import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.arena.payload.Tensor;
import dev.holdfast.loader.Lease;
import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.SubprocessOptions;
import dev.holdfast.loader.WorkerSource;
import java.io.Serializable;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Iterates over what a worker process makes, twice with the same worker. Each item is read where it
 * lies in shared memory; closing its lease gives that memory back to the worker.
 */
public final class IterateAndLease {
  private static final int FRAMES = 20;
  private static final int SIDE = 512;

  private IterateAndLease() {}

  /**
   * What crosses: any serializable type may hold tensors.
   *
   * @param number which frame it is
   * @param pixels its brightness values
   */
  @SuppressWarnings("serial") // Holdfast carries the tensor
  record Frame(int number, Tensor pixels) implements Serializable {}

  /**
   * Runs the example.
   *
   * @param args none
   */
  public static void main(String[] args) {
    // Crosses to the worker once. Each pass of the loop below asks it for a new iterator.
    WorkerSource<Frame> frames =
        context -> () -> IntStream.range(0, FRAMES).mapToObj(IterateAndLease::frame).iterator();

    // A segment holds one frame. Four are enough: one is read here, up to three are made ahead.
    SharedMemorySegmentPool pool = new SharedMemorySegmentPool((long) SIDE * SIDE * 4, 4);
    SubprocessOptions options = SubprocessOptions.builder().arena(pool).build();

    try (SubprocessIterable<Frame> items = Subprocess.iterate(frames, options)) {
      for (int pass = 1; pass <= 2; pass++) {
        double sum = 0;
        for (Lease<Frame> taken : items.leases()) {
          try (Lease<Frame> lease = taken) {
            sum += lease.item().pixels().get(SIDE / 2, SIDE / 2);
          }
        }
        System.out.println("pass " + pass + ": " + FRAMES + " frames, sum of centres " + sum);
      }
    }
  }

  private static Frame frame(int number) {
    float[] pixels = new float[SIDE * SIDE];
    Arrays.fill(pixels, number);
    return new Frame(number, Tensor.of(pixels, SIDE, SIDE));
  }
}
