package dev.holdfast.cli.demo;

import dev.holdfast.arena.ArenaStats;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.loader.Lease;
import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.SubprocessOptions;
import dev.holdfast.loader.WorkerOutput;
import java.io.IOException;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Where a demo's batches come from. Belongs to one thread; closing ends the worker and frees the
 * arena.
 */
sealed interface BatchFeed extends AutoCloseable {

  static BatchFeed open(DemoOptions options) throws IOException {
    int files = Pictures.in(options.folder()).size();
    int batch = Math.min(options.batch(), Math.max(1, files));
    PictureSource source = new PictureSource(options.folder().toUri(), batch);
    return switch (options.transport()) {
      case INLINE -> new Inline(source.batches());
      case CHANNEL -> FromWorker.start(source, options, null);
      case POOL ->
          FromWorker.start(
              source,
              options,
              SharedMemorySegmentPool.builder(batch * PictureDecoder.BYTES, options.segments())
                  .backing(options.backing())
                  .build());
    };
  }

  /**
   * Hands each batch of one pass to the consumer, on this thread. The batch is good until it
   * returns.
   */
  void epoch(Consumer<PictureBatch> consumer);

  /** Returns the worker's pid, or nothing when there is no worker. */
  OptionalLong worker();

  /** Returns the arena's figures, all zero without an arena. */
  ArenaStats stats();

  /** Returns the size of the arena's memory, 0 without an arena. */
  long arenaBytes();

  @Override
  void close();

  /** Decodes in this process. */
  record Inline(Iterable<PictureBatch> batches) implements BatchFeed {
    @Override
    public void epoch(Consumer<PictureBatch> consumer) {
      batches.forEach(consumer);
    }

    @Override
    public OptionalLong worker() {
      return OptionalLong.empty();
    }

    @Override
    public ArenaStats stats() {
      return ArenaStats.EMPTY;
    }

    @Override
    public long arenaBytes() {
      return 0;
    }

    @Override
    public void close() {}
  }

  /** Takes leases from a worker. */
  record FromWorker(
      SubprocessIterable<PictureBatch> batches, @Nullable SharedMemorySegmentPool pool)
      implements BatchFeed {

    static FromWorker start(
        PictureSource source, DemoOptions options, @Nullable SharedMemorySegmentPool pool) {
      SubprocessOptions.Builder worker =
          SubprocessOptions.builder()
              .standardOutput(WorkerOutput.standardError())
              .standardError(WorkerOutput.standardError())
              .jvmArgs("-Djava.awt.headless=true")
              .jvmArgs(options.workerJvmArgs().toArray(String[]::new));
      if (pool != null) {
        worker.arena(pool);
      }
      return new FromWorker(Subprocess.iterate(source, worker.build()), pool);
    }

    @Override
    public void epoch(Consumer<PictureBatch> consumer) {
      for (Lease<PictureBatch> lease : batches.leases()) {
        try (lease) {
          consumer.accept(lease.item());
        }
      }
    }

    @Override
    public OptionalLong worker() {
      return OptionalLong.of(batches.pid());
    }

    @Override
    public ArenaStats stats() {
      return pool == null ? ArenaStats.EMPTY : pool.stats();
    }

    @Override
    public long arenaBytes() {
      return pool == null ? 0 : pool.arenaBytes();
    }

    @Override
    public void close() {
      batches.close();
    }
  }
}
