package dev.holdfast.loader.internal.pipeline;

import dev.holdfast.loader.WorkerContext;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.BooleanSupplier;

/**
 * What stages learn that do not fill memory of the arena: the worker's facts, and ordinary memory.
 *
 * @param index see {@link WorkerContext}
 * @param count see {@link WorkerContext}
 * @param seed see {@link WorkerContext}
 * @param stopped whether the results are thrown away
 */
public record StageContext(int index, int count, long seed, BooleanSupplier stopped)
    implements WorkerContext {
  private static final long ALIGNMENT = 64;

  /** Returns a context with the facts of a worker. */
  public static StageContext of(WorkerContext worker) {
    return new StageContext(worker.index(), worker.count(), worker.seed(), worker::stopRequested);
  }

  @Override
  public boolean stopRequested() {
    return stopped.getAsBoolean();
  }

  @Override
  public MemorySegment allocate(long byteSize) {
    if (byteSize < 0) {
      throw new IllegalArgumentException("byteSize must not be negative: byteSize=" + byteSize);
    }
    return Arena.ofAuto().allocate(byteSize, ALIGNMENT);
  }
}
