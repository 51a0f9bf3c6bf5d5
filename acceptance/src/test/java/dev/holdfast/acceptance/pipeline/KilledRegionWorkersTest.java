package dev.holdfast.acceptance.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.holdfast.acceptance.fire.CrashMatrix;
import dev.holdfast.acceptance.fire.Peer;
import dev.holdfast.acceptance.worker.Promise;
import dev.holdfast.arena.SharedMemoryRingBuffer;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.loader.pipeline.OnWorkerDeath;
import dev.holdfast.loader.pipeline.Pipeline;
import dev.holdfast.loader.pipeline.PipelineIterable;
import dev.holdfast.loader.pipeline.ProcessRegion;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.PausePoints;
import dev.holdfast.testkit.Seeds;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import jdk.jfr.consumer.RecordingStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Workers of a region that are killed at every pause point and at random moments, one after the
 * other in the life of one pipeline, with arenas of each kind in both directions and without: every
 * result comes once, in order and whole.
 */
@ExtendWith(Leftovers.class)
@Timeout(1800)
public final class KilledRegionWorkersTest {
  private static final int WORKERS = 2;

  /** More than are under way at any time. */
  private static final int INPUTS = 40;

  /** Before the last one that takes up what is under way. */
  private static final int LATEST_ORDER = 12;

  /** As many as are large enough for the point in the middle of a copy. */
  private static final int ELEMENTS = 17_003;

  private static final int PAYLOADS = 4;
  private static final List<Transport> TRANSPORTS = List.of(Transport.values());
  private static final Duration LONG = Duration.ofMinutes(5);

  private static final String STARTING = "WORKER_STARTING";
  private static final String INITIALIZING = "WORKER_INITIALIZING";
  private static final String STANDING_BY = "WORKER_STANDING_BY";
  private static final String STOPPING = "WORKER_STOPPING";
  private static final String NO_SPACE = "WAITING_FOR_SPACE";

  private static final List<String> ALWAYS =
      List.of(
          Peer.ANY_MOMENT,
          STARTING,
          INITIALIZING,
          STANDING_BY,
          "WORKER_BETWEEN_ITEMS",
          "RECORD_SENT",
          "WORKER_AFTER_LAST_ITEM",
          STOPPING);
  private static final List<String> WITH_AN_ARENA =
      List.of(
          "UNIT_BEGUN",
          "BINARY_HALF_COPIED",
          "UNIT_COPIED",
          "UNIT_COMMITTED",
          "UNIT_ADMITTED",
          "UNIT_OPENED",
          "UNIT_RELEASED",
          NO_SPACE);

  /** Where a worker comes only when it replaces another one, which is killed for it. */
  private static final Set<String> OF_A_NEW_WORKER = Set.of(STARTING, INITIALIZING);

  @TempDir private Path folder;

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

  /** Returns where workers of a region are killed. */
  public static Stream<String> points() {
    return TRANSPORTS.stream().map(Transport::points).flatMap(List::stream);
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
    int visits = TRANSPORTS.stream().mapToInt(transport -> transport.points().size()).sum();
    int turns = Math.ceilDiv(CrashMatrix.rounds(12), visits);
    long replaced = 0;
    try (KillCount kills = new KillCount()) {
      for (Transport transport : TRANSPORTS) {
        replaced += killAtEveryPoint(transport, seed, turns);
      }
      int killed = kills.total();
      assertEquals(replaced, killed, "a worker was replaced that nobody had killed");
      CrashMatrix.count("workers of a region", turns * visits, killed);
    }
  }

  /** Goes to each point in turn, from one that the seed gives; returns how many were replaced. */
  private long killAtEveryPoint(Transport transport, long seed, int turns) throws Exception {
    List<String> points = transport.points();
    PausePoints orders = PausePoints.in(Files.createDirectory(folder.resolve(transport.name())));
    points.stream().filter(point -> !point.equals(Peer.ANY_MOMENT)).forEach(orders::killOnOrder);
    ProcessRegion region =
        ProcessRegion.workers(WORKERS)
            .options(Lines.options().jvmArgs(orders.jvmArgument()).build())
            .initializer(_ -> {})
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
      for (int visit = 0; visit < turns * points.size(); visit++) {
        String point = points.get((int) Math.floorMod(seed + visit, (long) points.size()));
        try {
          new Visit(pipeline, orders, point).run(CrashMatrix.random(seed, visit));
        } catch (Exception | AssertionError e) {
          throw new AssertionError(
              "visit %d of -Dholdfast.seed=%d, %s, %s".formatted(visit, seed, transport, point), e);
        }
      }
      return pipeline.stats().restarts();
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

  /** A pass in which one worker is killed at a point, and the next one where the point asks. */
  private record Visit(PipelineIterable<Object[]> pipeline, PausePoints orders, String point) {

    void run(RandomGenerator random) throws Exception {
      long replaced = pipeline.stats().restarts() + (OF_A_NEW_WORKER.contains(point) ? 2 : 1);
      @Nullable FutureTask<Long> death = null;
      if (point.equals(NO_SPACE)) { // before all who would come to it have come
        death = ordered(replaced);
      }
      Iterator<Object[]> results = pipeline.iterator();
      int next = 0;
      long worker = 0;
      for (int order = 1 + random.nextInt(LATEST_ORDER); next < order; next++) {
        worker = requireNext(results, next);
      }
      if (death == null) {
        death = ordered(replaced);
      }
      if (point.equals(Peer.ANY_MOMENT) || OF_A_NEW_WORKER.contains(point)) {
        ChildJvm.signal(worker, ChildJvm.SIGKILL);
      }
      if (point.equals(NO_SPACE)) {
        awaitKill(); // nobody takes what is sent
      } else if (point.equals(STOPPING)) {
        results = pipeline.iterator();
        next = 0;
        awaitKill();
      }
      requireRest(results, next);
      awaitKill();
      if (point.equals(STANDING_BY)) {
        requireRest(pipeline.iterator(), 0); // which finds that one is missing
      }
      Deadlines.assertEventually(
          "the killed ones are replaced", () -> pipeline.stats().restarts() == replaced);
      assertEquals(0, pipeline.stats().failed());
      Promise.took(
          "death of a region's worker at " + point,
          Promise.DEATH_REPORTED,
          Duration.ofNanos(Deadlines.result(death)));
    }

    /** Orders the kill, and watches for what comes of it. */
    private FutureTask<Long> ordered(long replaced) {
      if (!point.equals(Peer.ANY_MOMENT)) {
        orders.order(point);
      }
      return Deadlines.start("watch", () -> deathNanos(replaced));
    }

    private void awaitKill() {
      Deadlines.assertEventually("somebody comes to the point", () -> !orders.isOrdered(point));
    }

    /** Returns how long after the kill at the point the region began to replace that worker. */
    private long deathNanos(long replaced) {
      awaitKill();
      long start = System.nanoTime();
      Deadlines.assertEventually("it is replaced", () -> pipeline.stats().restarts() >= replaced);
      return System.nanoTime() - start;
    }

    private static long requireNext(Iterator<Object[]> results, int number) {
      Object[] result = results.next();
      assertEquals(number, stamp((float[]) result[1]));
      return (Long) result[0];
    }

    private static void requireRest(Iterator<Object[]> results, int from) {
      for (int next = from; next < INPUTS; next++) {
        var _ = requireNext(results, next);
      }
      assertFalse(results.hasNext());
    }
  }
}
