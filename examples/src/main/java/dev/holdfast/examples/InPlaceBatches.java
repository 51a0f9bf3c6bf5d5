package dev.holdfast.examples;

import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.arena.payload.ElementType;
import dev.holdfast.arena.payload.Tensor;
import dev.holdfast.loader.Collator;
import dev.holdfast.loader.Lease;
import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.SubprocessOptions;
import dev.holdfast.loader.WorkerContext;
import dev.holdfast.loader.WorkerSource;
import java.io.Serializable;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Iterator;

/**
 * Makes batches where they will be read: the worker writes each sample into its place in shared
 * memory, and the consumer reads the whole batch from there. No byte is copied, so the cost of a
 * batch does not grow with its size.
 */
public final class InPlaceBatches {
  private static final int SAMPLES = 100;
  private static final int BATCH = 32;
  private static final int LENGTH = 4_000;

  private InPlaceBatches() {}

  /**
   * What crosses: the batch in place, and small things that are copied as always.
   *
   * @param labels one for each sample
   * @param samples rows of {@value #LENGTH} floats
   */
  @SuppressWarnings({"serial", "ArrayRecordComponent"}) // Holdfast carries the tensor; not compared
  record Batch(int[] labels, Tensor samples) implements Serializable {}

  /**
   * Runs the example.
   *
   * @param args none
   */
  public static void main(String[] args) {
    WorkerSource<Batch> batches = context -> () -> new Batches(context);
    long batchBytes = ElementType.FLOAT32.bytesOf(BATCH, LENGTH);
    SubprocessOptions options =
        SubprocessOptions.builder().arena(new SharedMemorySegmentPool(batchBytes, 5)).build();

    try (SubprocessIterable<Batch> items = Subprocess.iterate(batches, options)) {
      for (Lease<Batch> taken : items.leases()) {
        try (Lease<Batch> lease = taken) {
          Tensor samples = lease.item().samples();
          int last = lease.item().labels().length - 1;
          System.out.println(
              Arrays.toString(samples.shape()) + " ends with " + samples.get(last, LENGTH - 1));
        }
      }
    }
  }

  /** Runs in the worker. */
  private static final class Batches implements Iterator<Batch> {
    private final WorkerContext context;
    private int next;

    Batches(WorkerContext context) {
      this.context = context;
    }

    @Override
    public boolean hasNext() {
      return next < SAMPLES;
    }

    @Override
    public Batch next() {
      // Opens the unit of this item, and waits here while the consumer has all segments.
      Collator collator = Collator.stack(context, BATCH, ElementType.FLOAT32, LENGTH);
      int[] labels = new int[BATCH];
      while (!collator.isFull() && hasNext()) {
        labels[collator.size()] = next;
        fill(collator.slot(), next++); // not zeroed: every element has to be written
        collator.keep();
      }
      return new Batch(Arrays.copyOf(labels, collator.size()), collator.batch());
    }

    private static void fill(Tensor slot, int label) {
      MemorySegment memory = slot.segment();
      for (int i = 0; i < LENGTH; i++) {
        memory.setAtIndex(ValueLayout.JAVA_FLOAT, i, label + i / 4096f);
      }
    }
  }
}
