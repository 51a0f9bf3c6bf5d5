package dev.holdfast.loader.internal.pipeline;

import dev.holdfast.arena.ViewScope;
import dev.holdfast.arena.internal.life.Logs;
import dev.holdfast.arena.internal.life.Once;
import dev.holdfast.loader.Lease;
import dev.holdfast.loader.Parcel;
import dev.holdfast.loader.pipeline.PipelineIterable;
import dev.holdfast.loader.pipeline.PipelineStats;
import java.lang.System.Logger;
import java.lang.ref.Cleaner;
import java.util.Iterator;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The public handle of a running pipeline. Nothing of ours refers to it but its iterators.
 *
 * @param <T> the type of the results, by the description's word
 */
@SuppressWarnings("unchecked") // results are what the last stage made
final class PipelineHandle<T extends @Nullable Object> implements PipelineIterable<T> {
  private static final Logger LOG = Logs.of("dev.holdfast.loader");
  private static final Once<Cleaner> CLEANER =
      new Once<>(
          () ->
              Cleaner.create(
                  Thread.ofPlatform().daemon().name("holdfast-dropped-pipelines").factory()));

  private final Engine engine;
  private final Cleaner.Cleanable whenDropped;

  PipelineHandle(Engine engine) {
    this.engine = engine;
    this.whenDropped = CLEANER.get().register(this, () -> dropped(engine));
  }

  private static void dropped(Engine engine) {
    if (engine.hasBegunToClose()) {
      return;
    }
    var _ =
        Thread.ofPlatform()
            .daemon()
            .name("holdfast-dropped-pipeline")
            .start(
                () -> {
                  LOG.log(
                      Logger.Level.WARNING, "a pipeline was dropped without a close; it ends now");
                  try {
                    engine.close();
                  } catch (RuntimeException e) {
                    LOG.log(Logger.Level.WARNING, "the dropped pipeline could not be ended", e);
                  }
                });
  }

  @Override
  @SuppressWarnings("NullAway") // null where the caller's type allows null
  public Iterator<T> iterator() {
    return new ResultIterator<>(this, engine, content -> (T) content.plain());
  }

  @Override
  public Iterable<Lease<T>> leases(ViewScope scope) {
    Objects.requireNonNull(scope, "scope");
    return () ->
        new ResultIterator<Lease<T>>(
            this, engine, content -> (Lease<T>) (Lease<?>) content.open(scope));
  }

  @Override
  public Iterable<Parcel<T>> parcels() {
    return () ->
        new ResultIterator<Parcel<T>>(
            this, engine, content -> (Parcel<T>) (Parcel<?>) new ResultParcel(content));
  }

  @Override
  public PipelineStats stats() {
    return engine.stats();
  }

  @Override
  public void close() {
    try {
      engine.close();
    } finally {
      whenDropped.clean();
    }
  }
}
