package dev.holdfast.loader.internal.pipeline;

import dev.holdfast.loader.pipeline.PipelineIterable;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Starts pipelines. */
public final class Launch {
  private Launch() {}

  /** Starts a pipeline whose arenas are the caller's. */
  public static <T extends @Nullable Object> PipelineIterable<T> inThisProcess(Plan plan) {
    return new PipelineHandle<>(Engine.start(plan, false, () -> false));
  }

  /** Starts a pipeline that owns its arenas. */
  static <T extends @Nullable Object> PipelineIterable<T> inHost(Plan plan, BooleanSupplier left) {
    return new PipelineHandle<>(Engine.start(plan, true, left));
  }
}
