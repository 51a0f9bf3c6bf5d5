package dev.holdfast.acceptance.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.arena.payload.Tensor;
import dev.holdfast.loader.Lease;
import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.WorkerContext;
import dev.holdfast.loader.WorkerSource;
import dev.holdfast.loader.pipeline.FailurePolicy;
import dev.holdfast.loader.pipeline.Pipeline;
import dev.holdfast.loader.pipeline.PipelineIterable;
import dev.holdfast.testkit.Leftovers;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * What stages of this process do with items of a worker, which travel unopened. One worker serves
 * all tests.
 */
@ExtendWith(Leftovers.class)
@Timeout(300)
final class ItemsBehindAWorkerTest {
  private static final int SHARED_COUNT = 43;
  private static final List<SubprocessIterable<Tensor>> WORKER = new ArrayList<>();

  /** Tensors, each filled with its number. */
  private record Tensors() implements WorkerSource<Tensor> {
    private static final long serialVersionUID = 1L;

    @Override
    public Iterable<Tensor> open(WorkerContext context) {
      return () ->
          IntStream.range(0, SHARED_COUNT)
              .mapToObj(number -> Tensor.of(Lines.payload(number), Lines.ELEMENTS))
              .iterator();
    }
  }

  @BeforeAll
  static void startTheWorker() {
    WORKER.add(
        Subprocess.iterate(
            new Tensors(),
            Lines.options()
                .arena(new SharedMemorySegmentPool(Lines.ELEMENTS * 4L + 64, 20))
                .build()));
  }

  @AfterAll
  static void endTheWorker() {
    WORKER.forEach(SubprocessIterable::close);
  }

  private static Pipeline<Tensor> fromTheWorker() {
    return Pipeline.from(WORKER.getFirst());
  }

  @Test
  void stageThatKeepsViewsMayAliasItsInput() {
    try (PipelineIterable<MemorySegment> pipeline =
        fromTheWorker()
            .<MemorySegment>map(tensor -> tensor.segment().asSlice(400))
            .keepsViews()
            .build()) {
      int next = 0;
      for (MemorySegment slice : pipeline) {
        assertTrue(slice.isNative() || slice.byteSize() > 0);
        assertEquals(next++, (int) slice.get(ValueLayout.JAVA_FLOAT_UNALIGNED, 0));
      }
      assertEquals(SHARED_COUNT, next);
    }
  }

  @Test
  void copyOfAnInputMayBeAResultAndTheInputEndsAtOnce() {
    try (PipelineIterable<Tensor> pipeline =
        fromTheWorker().<Tensor>map(tensor -> tensor.copy()).buffer(SHARED_COUNT).build()) {
      int next = 0;
      for (Tensor tensor : pipeline) {
        assertEquals(next++, (int) tensor.segment().get(ValueLayout.JAVA_FLOAT_UNALIGNED, 400));
      }
      assertEquals(SHARED_COUNT, next);
    }
  }

  @Test
  void filterAndUnbatchBehindAWorkerKeepTheirItems() {
    try (PipelineIterable<Tensor> pipeline =
        fromTheWorker()
            .batch(2)
            .<Tensor>unbatch()
            .filter(tensor -> tensor.asByteBuffer().getFloat(0) % 2 == 0)
            .build()) {
      int next = 0;
      for (Tensor tensor : pipeline) {
        assertEquals(next, (int) tensor.asByteBuffer().getFloat(4 * 777));
        next += 2;
      }
      assertEquals(SHARED_COUNT + 1, next);
    }
  }

  @Test
  void flatMapBehindAWorkerMayMakeViewsOfItsItems() {
    try (PipelineIterable<MemorySegment> pipeline =
        fromTheWorker()
            .<MemorySegment>flatMap(
                tensor ->
                    () ->
                        IntStream.range(0, 3)
                            .mapToObj(part -> tensor.segment().asSlice(4L * 1000 * part, 4000))
                            .iterator())
            .onFailure(FailurePolicy.fail())
            .build()) {
      int next = 0;
      for (MemorySegment part : pipeline) {
        assertTrue(part.isNative(), "a view");
        assertEquals(next / 3, (int) part.get(ValueLayout.JAVA_FLOAT_UNALIGNED, 3996));
        next++;
      }
      assertEquals(3 * SHARED_COUNT, next);
    }
  }

  @Test
  void batchBehindAWorkerIsOpenedAndEndedTogether() {
    try (PipelineIterable<List<Tensor>> pipeline = fromTheWorker().batch(5).build()) {
      int next = 0;
      for (Lease<List<Tensor>> lease : pipeline.leases()) {
        List<Tensor> tensors = lease.item();
        for (Tensor tensor : tensors) {
          assertEquals(next++, (int) tensor.asByteBuffer().getFloat(40));
        }
        lease.close();
        Tensor ended = tensors.getFirst();
        assertThrows(
            IllegalStateException.class, () -> ended.segment().get(ValueLayout.JAVA_BYTE, 0));
      }
      assertEquals(SHARED_COUNT, next);
    }
  }

  @Test
  void parcelsAreOpenedOnOtherThreadsOrDiscarded() throws Exception {
    try (PipelineIterable<Tensor> pipeline = fromTheWorker().build()) {
      assertEquals(SHARED_COUNT, Lines.openOrDiscard(pipeline.parcels()));
    }
  }
}
