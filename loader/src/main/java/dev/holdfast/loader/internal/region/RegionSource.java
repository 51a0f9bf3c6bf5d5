package dev.holdfast.loader.internal.region;

import dev.holdfast.arena.ArenaReader;
import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.loader.CodecSource;
import dev.holdfast.loader.WorkerContext;
import dev.holdfast.loader.WorkerSource;
import dev.holdfast.loader.internal.pipeline.Step;
import dev.holdfast.loader.internal.worker.Answer;
import dev.holdfast.loader.internal.worker.RegionInputs;
import java.util.ArrayList;
import org.jspecify.annotations.Nullable;

/**
 * What a region's worker runs. The fields' names stand in the paths of serialization errors.
 *
 * @param steps the stages
 * @param inputOrder whether the stages keep the order of the inputs whatever they say themselves
 * @param inputArena where inputs' binaries lie, or null
 * @param codec how inputs are written
 */
record RegionSource(
    ArrayList<Step> steps,
    boolean inputOrder,
    @Nullable SharedMemoryArena inputArena,
    CodecSource codec)
    implements WorkerSource<Answer> {
  private static final long serialVersionUID = 1L;

  @Override
  public Iterable<Answer> open(WorkerContext context) {
    if (!(context instanceof RegionInputs inputs)) {
      throw new IllegalStateException("not the worker of a region");
    }
    @Nullable ArenaReader reader = inputArena == null ? null : inputArena.openReader();
    InputInlet inlet =
        new InputInlet(
            inputs.inputs(),
            reader,
            codec
                .codec()
                .newDecoder(
                    null,
                    Thread.currentThread().getContextClassLoader(),
                    reader != null && reader.writableViews()));
    WorkerChain chain = new WorkerChain(steps, inputOrder, inlet, inputs, context);
    return () -> new AnswerIterator(chain, inputs);
  }
}
