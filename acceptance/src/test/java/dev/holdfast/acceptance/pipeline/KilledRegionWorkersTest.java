package dev.holdfast.acceptance.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.acceptance.fire.CrashMatrix;
import dev.holdfast.acceptance.fire.Peer;
import dev.holdfast.arena.SharedMemoryRingBuffer;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.loader.pipeline.OnWorkerDeath;
import dev.holdfast.loader.pipeline.Pipeline;
import dev.holdfast.loader.pipeline.PipelineIterable;
import dev.holdfast.loader.pipeline.ProcessRegion;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Seeds;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import jdk.jfr.consumer.RecordingStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Workers of a region that are killed at every pause point and at random moments, again and again
 * in each pass, with arenas of each kind in both directions and without: every result comes once,
 * in order and whole.
 */
@ExtendWith(Leftovers.class)
@Timeout(1800)
final class KilledRegionWorkersTest {
  private static final int WORKERS = 2;
  private static final int INPUTS = 60;

  /** As many as are large enough for the point in the middle of a copy. */
  private static final int ELEMENTS = 17_003;

  private static final int PAYLOADS = 4;
  private static final List<Transport> TRANSPORTS = List.of(Transport.values());
  private static final Duration LONG = Duration.ofMinutes(5);

  /** More than the inputs that a new worker is given one at a time. */
  private static final int FIRST_TURN = 8;

  private static final List<String> ALWAYS =
      List.of(Peer.ANY_MOMENT, "WORKER_BETWEEN_ITEMS", "RECORD_SENT");
  private static final List<String> WITH_AN_ARENA =
      List.of(
          "UNIT_BEGUN",
          "BINARY_HALF_COPIED",
          "UNIT_COPIED",
          "UNIT_COMMITTED",
          "UNIT_ADMITTED",
          "UNIT_OPENED",
          "UNIT_RELEASED");

  private enum Transport {
    POOL,
    RING,
    CHANNEL;

    List<String> points() {
      return switch (this) {
        case POOL -> Stream.of(ALWAYS, WITH_AN_ARENA).flatMap(List::stream).toList();
        case RING ->
            Stream.of(ALWAYS, WITH_AN_ARENA, List.of("BETWEEN_HEAD_AND_PUBLISHED"))
                .flatMap(List::stream)
                .toList();
        case CHANNEL -> ALWAYS;
      };
    }

    Lines.Arenas arenas() {
      long bytes = 4L * ELEMENTS;
      return switch (this) {
        case POOL ->
            Lines.Arenas.of(
                WORKERS,
                () ->
                    SharedMemorySegmentPool.builder(bytes, PAYLOADS).acquireTimeout(LONG).build());
        case RING ->
            Lines.Arenas.of(
                WORKERS,
                () ->
                    SharedMemoryRingBuffer.builder(PAYLOADS * bytes).acquireTimeout(LONG).build());
        case CHANNEL -> Lines.Arenas.of(0, () -> null);
      };
    }

    ProcessRegion give(ProcessRegion region, Lines.Arenas inputs, Lines.Arenas outputs) {
      return this == CHANNEL ? region : region.inputArena(inputs::get).outputArena(outputs::get);
    }
  }

  /** What a worker sends: who it was, and a payload that carries the input's number. */
  private static Object[] answer(float[] payload) {
    return new Object[] {ProcessHandle.current().pid(), payload};
  }

  private static float[] payload(int number) {
    float[] payload = new float[ELEMENTS];
    Arrays.fill(payload, number);
    return payload;
  }

  private static int stamp(float[] payload) {
    assertEquals(ELEMENTS, payload.length);
    for (float element : payload) {
      assertEquals(payload[0], element);
    }
    return (int) payload[0];
  }

  @Test
  void everyResultComesOnceWhereverTheirWorkersAreKilled() throws Exception {
    long seed = Seeds.next();
    int rounds = CrashMatrix.rounds(12);
    int passes = 0;
    long replaced = 0;
    try (KillCount kills = new KillCount()) {
      while (replaced < rounds) {
        Transport transport = TRANSPORTS.get(passes % TRANSPORTS.size());
        List<String> points = transport.points();
        String point = points.get(passes / TRANSPORTS.size() % points.size());
        try {
          replaced += pass(transport, point, CrashMatrix.random(seed, passes));
        } catch (RuntimeException | AssertionError e) {
          throw new AssertionError(
              "pass %d of -Dholdfast.seed=%d, %s, %s".formatted(passes, seed, transport, point), e);
        }
        passes++;
      }
      int killed = kills.total();
      assertEquals(replaced, killed, "a worker was replaced that nobody had killed");
      CrashMatrix.count("workers of a region", killed, killed);
    }
  }

  /** Counts the workers of this process that SIGKILL has ended. */
  private static final class KillCount implements AutoCloseable {
    private final RecordingStream events = new RecordingStream();
    private final AtomicInteger killed = new AtomicInteger();

    KillCount() {
      events.enable("dev.holdfast.WorkerDied");
      events.onEvent(
          "dev.holdfast.WorkerDied",
          event -> {
            if (event.getString("how").contains("signal=SIGKILL")) {
              killed.incrementAndGet();
            }
          });
      events.startAsync();
    }

    /** Returns how many there were, and counts no more. */
    int total() {
      var _ = events.stop();
      return killed.get();
    }

    @Override
    public void close() {
      events.close();
    }
  }

  /** Returns how many workers were replaced. */
  private static long pass(Transport transport, String point, RandomGenerator random) {
    boolean anyMoment = point.equals(Peer.ANY_MOMENT);
    List<Integer> killedAt =
        anyMoment ? List.of(2 + random.nextInt(18), 30 + random.nextInt(20)) : List.of();
    String[] jvm = Peer.jvmArguments(point, FIRST_TURN + random.nextInt(6)).toArray(String[]::new);
    ProcessRegion region =
        ProcessRegion.workers(WORKERS)
            .options(Lines.options().jvmArgs(jvm).build())
            .inputsAhead(2)
            .onWorkerDeath(OnWorkerDeath.RESTART);
    try (Lines.Arenas inputs = transport.arenas();
        Lines.Arenas outputs = transport.arenas();
        PipelineIterable<Object[]> pipeline =
            Pipeline.from(new Lines.Below(INPUTS))
                .<float[]>map(KilledRegionWorkersTest::payload)
                .to(transport.give(region, inputs, outputs))
                .<Object[]>map(KilledRegionWorkersTest::answer)
                .toMain()
                .build()) {
      int next = 0;
      for (Object[] result : pipeline) {
        assertEquals(next, stamp((float[]) result[1]));
        if (killedAt.contains(next)) {
          ProcessHandle.of((Long) result[0]).ifPresent(ProcessHandle::destroyForcibly);
        }
        next++;
      }
      assertEquals(INPUTS, next);
      assertEquals(0, pipeline.stats().failed());
      long replaced = pipeline.stats().restarts();
      assertTrue(anyMoment || replaced > 0, "nobody came to the point");
      return replaced;
    }
  }
}
