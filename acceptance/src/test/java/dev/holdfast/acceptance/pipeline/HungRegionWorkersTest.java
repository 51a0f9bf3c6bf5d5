package dev.holdfast.acceptance.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.loader.WorkerTimeoutException;
import dev.holdfast.loader.pipeline.OnWorkerDeath;
import dev.holdfast.loader.pipeline.Order;
import dev.holdfast.loader.pipeline.Pipeline;
import dev.holdfast.loader.pipeline.PipelineIterable;
import dev.holdfast.loader.pipeline.ProcessRegion;
import dev.holdfast.loader.pipeline.StageFailure;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Workers that hang although they owe no answer: one has an input in front of it that it does not
 * take, or a pass that it does not end.
 */
@ExtendWith(Leftovers.class)
@Timeout(300)
final class HungRegionWorkersTest {
  private static final Duration LIMIT = Duration.ofMillis(1200);
  private static final int CHANNEL_BYTES = 4096;
  private static final int LONGER_THAN_THE_CHANNEL = 5 * CHANNEL_BYTES;

  private static ProcessRegion region(OnWorkerDeath reaction) {
    return ProcessRegion.workers(1)
        .options(Lines.options().channelBytes(CHANNEL_BYTES).timeout(LIMIT).build())
        .onWorkerDeath(reaction);
  }

  /** Inputs of some sizes; what follows the first one comes when it is let. */
  private static final class Gated implements Iterator<byte[]> {
    private final CountDownLatch gate;
    private final int[] sizes;
    private int next;

    Gated(CountDownLatch gate, int[] sizes) {
      this.gate = gate;
      this.sizes = sizes;
    }

    @Override
    public boolean hasNext() {
      if (next > 0) {
        try {
          gate.await();
        } catch (InterruptedException e) {
          return false; // the pipeline is being closed
        }
      }
      return next < sizes.length;
    }

    @Override
    public byte[] next() {
      return new byte[sizes[next++]];
    }
  }

  // B201
  @Test
  void workerThatStandsStillIsFoundByAnInputThatDoesNotFitItsChannel() throws Exception {
    for (OnWorkerDeath reaction : OnWorkerDeath.values()) {
      standStill(reaction, 10, LONGER_THAN_THE_CHANNEL);
    }
  }

  @Test
  void workerThatStandsStillIsFoundByAPassThatItDoesNotEnd() throws Exception {
    standStill(OnWorkerDeath.RESTART, 10);
  }

  /** Stops the worker when it has answered the first input, and then lets the others come. */
  private static void standStill(OnWorkerDeath reaction, int... sizes) throws Exception {
    CountDownLatch gate = new CountDownLatch(1);
    Iterable<byte[]> source = () -> new Gated(gate, sizes);
    try (PipelineIterable<long[]> pipeline =
        Pipeline.from(source)
            .to(region(reaction))
            .<long[]>map(input -> new long[] {input.length, ProcessHandle.current().pid()})
            .toMain()
            .build()) {
      Iterator<long[]> results = pipeline.iterator();
      long[] first = results.next();
      ChildJvm.signal(first[1], ChildJvm.SIGSTOP);
      gate.countDown();
      if (reaction == OnWorkerDeath.FAIL) {
        WorkerTimeoutException hung =
            assertThrows(WorkerTimeoutException.class, () -> soon(results::next));
        assertEquals(first[1], hung.facts().get("pid"));
        assertEquals("stopped", hung.facts().get("state"));
        assertEquals(LIMIT.toMillis(), hung.facts().get("waitedMillis"));
        ChildJvm.signal(first[1], ChildJvm.SIGCONT);
      } else {
        List<Integer> lengths = new ArrayList<>(List.of((int) first[0]));
        while (soon(results::hasNext)) {
          lengths.add((int) results.next()[0]);
        }
        assertEquals(Arrays.stream(sizes).boxed().toList(), lengths);
        // a pass that owes nothing may end while its worker is being replaced
        Deadlines.assertEventually("replaced", () -> pipeline.stats().restarts() == 1);
        assertEquals(0, pipeline.stats().failed());
      }
    }
  }

  private static <T> T soon(Callable<T> step) throws Exception {
    return Deadlines.within("step", Duration.ofSeconds(60), step);
  }

  /** What it has taken of a pass that was left keeps the arena full. */
  @Test
  void workerThatHangsInAPassThatWasLeftIsFoundByTheNextOne(@TempDir Path folder) throws Exception {
    File hung = folder.resolve("hung").toFile();
    AtomicInteger passes = new AtomicInteger();
    Iterable<float[]> source = () -> List.of(Lines.payload(passes.getAndIncrement())).iterator();
    try (Lines.Arenas inputs = Lines.Arenas.pools(1, 1);
        PipelineIterable<Integer> pipeline =
            Pipeline.from(source)
                .to(region(OnWorkerDeath.RESTART).inputArena(inputs::get))
                .<Integer>map(payload -> hangsAtZero(payload, hung))
                .toMain()
                .build()) {
      FutureTask<Integer> left = Deadlines.start("left", pipeline.iterator()::next);
      Deadlines.assertEventually("it hangs", hung::exists);
      Iterator<Integer> results = pipeline.iterator();
      assertThrows(IllegalStateException.class, () -> Deadlines.result(left));
      assertEquals(1, soon(results::next));
      assertFalse(soon(results::hasNext));
      assertEquals(1, pipeline.stats().restarts());
      assertEquals(0, pipeline.stats().failed());
    }
  }

  private static int hangsAtZero(float[] payload, File hung) throws Exception {
    int number = Lines.stamp(payload);
    if (number == 0 && hung.mkdir()) {
      Thread.sleep(3_600_000);
    }
    return number;
  }

  /** An input that hangs its worker is to blame when it did so alone, and its report says how. */
  @Test
  void inputsThatDoNotFitTheChannelAreDoneAgainAndTheHangingOneIsReported() throws Exception {
    Iterable<byte[]> source =
        () ->
            IntStream.range(0, 6)
                .mapToObj(number -> new byte[LONGER_THAN_THE_CHANNEL + number])
                .iterator();
    try (PipelineIterable<Integer> pipeline =
        Pipeline.from(source)
            .to(region(OnWorkerDeath.RESTART).order(Order.COMPLETION))
            .<Integer>map(
                input -> {
                  if (input.length == LONGER_THAN_THE_CHANNEL + 2) {
                    Thread.sleep(3_600_000);
                  }
                  return input.length - LONGER_THAN_THE_CHANNEL;
                })
            .toMain()
            .build()) {
      assertEquals(
          List.of(0, 1, 3, 4, 5), soon(() -> Lines.pass(pipeline)).stream().sorted().toList());
      StageFailure failure = pipeline.stats().failures().getFirst();
      assertEquals(2, failure.index());
      assertTrue(failure.reason().contains("endedBecause=no message"), failure::reason);
      assertEquals(2, pipeline.stats().restarts());
    }
  }
}
