package dev.holdfast.cli.demo;

import dev.holdfast.arena.ArenaStats;
import dev.holdfast.loader.Lease;
import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.SubprocessOptions;
import dev.holdfast.loader.WorkerOutput;
import dev.holdfast.loader.pipeline.StageStats;
import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Where a demo's batches come from. Belongs to one thread; closing ends the worker and frees the
 * arena.
 */
sealed interface BatchFeed extends AutoCloseable
    permits BatchFeed.Inline, BatchFeed.FromWorker, RegionFeed {

  static BatchFeed open(DemoOptions options) throws IOException {
    int files = Pictures.in(options.folder()).size();
    int batch = Math.min(options.batch(), Math.max(1, files));
    if (options.workers() > 0) {
      return RegionFeed.open(options, batch);
    }
    PictureSource source = new PictureSource(options.folder().toUri(), batch);
    return switch (options.transport()) {
      case INLINE -> Inline.open(source);
      case CHANNEL -> FromWorker.start(source, options, null);
      case POOL, RING -> {
        ArenaChoice arena = ArenaChoice.make(options, batch * PictureDecoder.BYTES);
        yield FromWorker.start(source, options, arena);
      }
    };
  }

  /**
   * Hands each batch of one pass to the consumer, on this thread. The batch is good until it
   * returns.
   */
  void epoch(Consumer<PictureBatch> consumer);

  /** Returns the workers' pids. */
  List<Long> workers();

  /** Returns the figures of the stages, none without a region. */
  default List<StageStats> stages() {
    return List.of();
  }

  /** Returns the arena's figures, all zero without an arena. */
  ArenaStats stats();

  /** Returns the size of the arena's memory, 0 without an arena. */
  long arenaBytes();

  /** Returns the bytes that are page-locked now, 0 without an arena. */
  long pinnedBytes();

  @Override
  void close();

  /** Decodes in this process. */
  record Inline(InlineContext context, Iterable<PictureBatch> batches) implements BatchFeed {
    static Inline open(PictureSource source) throws IOException {
      InlineContext context = new InlineContext();
      return new Inline(context, source.open(context));
    }

    @Override
    public void epoch(Consumer<PictureBatch> consumer) {
      for (PictureBatch batch : batches) {
        try {
          consumer.accept(batch);
        } finally {
          context.endItem();
        }
      }
    }

    @Override
    public List<Long> workers() {
      return List.of();
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
    public long pinnedBytes() {
      return 0;
    }

    @Override
    public void close() {}
  }

  /** Takes leases from a worker. */
  record FromWorker(SubprocessIterable<PictureBatch> batches, @Nullable ArenaChoice choice)
      implements BatchFeed {

    static FromWorker start(
        PictureSource source, DemoOptions options, @Nullable ArenaChoice choice) {
      SubprocessOptions.Builder worker =
          SubprocessOptions.builder()
              .standardOutput(WorkerOutput.standardError())
              .standardError(WorkerOutput.standardError())
              .jvmArgs("-Djava.awt.headless=true")
              .jvmArgs(options.workerJvmArgs().toArray(String[]::new));
      if (choice != null) {
        worker.arena(choice.arena());
      }
      return new FromWorker(Subprocess.iterate(source, worker.build()), choice);
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
    public List<Long> workers() {
      return List.of(batches.pid());
    }

    @Override
    public ArenaStats stats() {
      return choice == null ? ArenaStats.EMPTY : choice.arena().stats();
    }

    @Override
    public long arenaBytes() {
      return choice == null ? 0 : choice.arenaBytes();
    }

    @Override
    public long pinnedBytes() {
      return choice == null ? 0 : choice.pinnedBytes().getAsLong();
    }

    @Override
    public void close() {
      batches.close();
    }
  }
}
