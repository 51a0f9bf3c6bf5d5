package dev.holdfast.cli.demo;

import dev.holdfast.arena.ArenaStats;
import dev.holdfast.arena.internal.life.Steps;
import dev.holdfast.loader.Lease;
import dev.holdfast.loader.SubprocessOptions;
import dev.holdfast.loader.WorkerOutput;
import dev.holdfast.loader.pipeline.FailurePolicy;
import dev.holdfast.loader.pipeline.Pipeline;
import dev.holdfast.loader.pipeline.PipelineIterable;
import dev.holdfast.loader.pipeline.ProcessRegion;
import dev.holdfast.loader.pipeline.StageStats;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Has the workers of a region decode, each into an arena of its own, and makes batches of their
 * pictures here.
 *
 * @param pipeline the running pipeline
 * @param arenas one for each worker, or none
 */
record RegionFeed(PipelineIterable<List<PictureBatch>> pipeline, List<ArenaChoice> arenas)
    implements BatchFeed {

  static RegionFeed open(DemoOptions options, int batch) {
    List<ArenaChoice> arenas = new ArrayList<>();
    boolean started = false;
    try {
      if (options.transport() != DemoOptions.Transport.CHANNEL) {
        for (int i = 0; i < options.workers(); i++) {
          arenas.add(
              ArenaChoice.make(
                  options.withSegments(pictures(options, batch)), PictureDecoder.BYTES));
        }
      }
      RegionFeed feed = new RegionFeed(build(options, batch, arenas), arenas);
      started = true;
      return feed;
    } finally {
      if (!started) {
        free(arenas);
      }
    }
  }

  /** A batch may come from one worker alone, so each arena has room for all of it. */
  private static int pictures(DemoOptions options, int batch) {
    int all = Math.multiplyExact(options.segments(), batch);
    return Math.max(batch, Math.ceilDiv(all, options.workers()));
  }

  private static PipelineIterable<List<PictureBatch>> build(
      DemoOptions options, int batch, List<ArenaChoice> arenas) {
    SubprocessOptions worker =
        SubprocessOptions.builder()
            .standardOutput(WorkerOutput.standardError())
            .standardError(WorkerOutput.standardError())
            .jvmArgs(DecodingJvm.arguments(options.epochs(), options.workerJvmArgs()))
            .build();
    ProcessRegion region =
        ProcessRegion.workers(options.workers())
            .options(worker)
            .initializer(_ -> PictureDecoder.prepareProcess());
    if (!arenas.isEmpty()) {
      region = region.outputArena(index -> arenas.get(index).arena());
    }
    Path folder = options.folder();
    return Pipeline.from(passes(folder, options.epochs()))
        .continuous()
        .to(region)
        .<PictureBatch>mapWith(new PictureTask())
        .named("decode")
        .toMain()
        .named("workers")
        .batch(batch)
        .named("batch")
        .onFailure(FailurePolicy.fail())
        .build();
  }

  /** The next pass begins while the one before is taken; behind the last there is nothing. */
  private static Iterable<String> passes(Path folder, int epochs) {
    AtomicInteger begun = new AtomicInteger();
    return () -> begun.getAndIncrement() < epochs ? files(folder) : Collections.emptyIterator();
  }

  private static Iterator<String> files(Path folder) {
    try {
      return Pictures.in(folder).stream().map(file -> file.toUri().toString()).iterator();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void epoch(Consumer<PictureBatch> consumer) {
    for (Lease<List<PictureBatch>> lease : pipeline.leases()) {
      try (lease) {
        lease.item().forEach(consumer);
      }
    }
  }

  @Override
  public List<Long> workers() {
    return ProcessHandle.current().children().map(ProcessHandle::pid).toList();
  }

  @Override
  public ArenaStats stats() {
    return arenas.stream()
        .map(choice -> choice.arena().stats())
        .reduce(ArenaStats.EMPTY, RegionFeed::sum);
  }

  private static ArenaStats sum(ArenaStats one, ArenaStats other) {
    return new ArenaStats(
        one.published() + other.published(),
        one.reclaimed() + other.reclaimed(),
        one.held() + other.held(),
        one.waits() + other.waits(),
        one.waitNanos() + other.waitNanos(),
        -1,
        "",
        one.gcRequests() + other.gcRequests(),
        one.closingLeases() + other.closingLeases(),
        one.heapCopies() + other.heapCopies(),
        one.leakedLeases() + other.leakedLeases(),
        one.freshBytes() + other.freshBytes(),
        one.recycledBytes() + other.recycledBytes(),
        one.retainedBytes() + other.retainedBytes(),
        one.quarantined() + other.quarantined());
  }

  @Override
  public List<StageStats> stages() {
    return pipeline.stats().stages();
  }

  @Override
  public long arenaBytes() {
    return arenas.stream().mapToLong(ArenaChoice::arenaBytes).sum();
  }

  @Override
  public long pinnedBytes() {
    return arenas.stream().mapToLong(choice -> choice.pinnedBytes().getAsLong()).sum();
  }

  @Override
  public void close() {
    Steps steps = new Steps();
    steps.run(pipeline::close);
    steps.run(() -> free(arenas));
    steps.end();
  }

  private static void free(List<ArenaChoice> arenas) {
    Steps steps = new Steps();
    for (ArenaChoice choice : arenas) {
      steps.run(
          () -> {
            choice.arena().close();
            choice.arena().unlink();
          });
    }
    steps.end();
  }
}
