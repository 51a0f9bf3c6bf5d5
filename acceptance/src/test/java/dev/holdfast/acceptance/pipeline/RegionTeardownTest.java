package dev.holdfast.acceptance.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.acceptance.worker.RefusingArena;
import dev.holdfast.arena.ArenaClosedException;
import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.arena.StorageRetainedException;
import dev.holdfast.arena.internal.fault.FaultPoint;
import dev.holdfast.arena.internal.life.Quarantine;
import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.pipeline.FailurePolicy;
import dev.holdfast.loader.pipeline.OnWorkerDeath;
import dev.holdfast.loader.pipeline.Pipeline;
import dev.holdfast.loader.pipeline.PipelineIterable;
import dev.holdfast.loader.pipeline.StageFailedException;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.PausePoints;
import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * The end of pipelines in mid-stream, whole pipelines in a worker, and the end of main processes.
 */
@ExtendWith(Leftovers.class)
final class RegionTeardownTest {
  private static final Duration SECONDS = Duration.ofSeconds(20);

  private static void closeInTime(PipelineIterable<?> pipeline) throws Exception {
    var _ =
        Deadlines.within(
            "close",
            SECONDS,
            () -> {
              pipeline.close();
              return true;
            });
  }

  // B204
  @Test
  void teardownInMidStreamWithFullQueuesAndBlockedWritersEndsSoon() throws Exception {
    try (Lines.Arenas inputs = Lines.Arenas.pools(2, 1);
        Lines.Arenas outputs = Lines.Arenas.pools(2, 1)) {
      PipelineIterable<Integer> pipeline =
          Pipeline.from(new Lines.Below(100_000))
              .<float[]>map(Lines::payload, 2)
              .to(Lines.region(2).inputArena(inputs::get).outputArena(outputs::get))
              .<float[]>map(payload -> payload)
              .<float[]>map(payload -> payload, 2)
              .toMain()
              .<Integer>map(Lines::stamp)
              .build();
      Iterator<Integer> results = pipeline.iterator();
      assertEquals(0, results.next());
      assertEquals(1, results.next());
      Deadlines.pause(Duration.ofMillis(300)); // everything is full
      closeInTime(pipeline);
      assertThrows(ArenaClosedException.class, results::next);
      for (int i = 0; i < 2; i++) {
        for (SharedMemoryArena arena : List.of(inputs.get(i), outputs.get(i))) {
          assertEquals(0, arena.stats().held(), "what nobody opened went back");
        }
      }
      inputs.get(0).openWriter().close();
      outputs.get(1).openReader().close();
    }
  }

  /** One of two: what comes after it is ended all the same, and the failure is told. */
  // B204
  @Test
  void anArenaThatCannotBeWokenKeepsNothingFromItsEnd() {
    try (Lines.Arenas outputs =
        Lines.Arenas.of(2, () -> new RefusingArena(Lines.Arenas.pools(1, 1).get(0)))) {
      PipelineIterable<Integer> pipeline =
          Pipeline.from(new Lines.Below(100_000))
              .to(Lines.region(2).outputArena(outputs::get))
              .<float[]>map(Lines::payload)
              .toMain()
              .<Integer>map(Lines::stamp)
              .build();
      Iterator<Integer> results = pipeline.iterator();
      assertEquals(0, results.next());
      ((RefusingArena) outputs.get(0)).refuseToWake();

      IllegalStateException failed = assertThrows(IllegalStateException.class, pipeline::close);

      assertEquals("wake", failed.getMessage());
      assertEquals(0, ProcessHandle.current().children().count(), "workers are left");
      assertThrows(ArenaClosedException.class, results::next);
      outputs.get(0).openReader().close();
      outputs.get(1).openReader().close();
    }
  }

  // B204
  @Test
  void closeEndsWorkersThatHangInUserCodeOnTheirMainThreadAndOnOthers(@TempDir Path folder)
      throws Exception {
    for (int threads = 1; threads <= 2; threads++) {
      File hung = folder.resolve("hung " + threads).toFile();
      PipelineIterable<Integer> pipeline =
          Pipeline.from(new Lines.Below(10))
              .to(Lines.region(1))
              .<Integer>map(item -> neverEnds(hung), threads)
              .toMain()
              .build();
      FutureTask<Integer> waiting = Deadlines.start("waiting", pipeline.iterator()::next);
      Deadlines.assertEventually("the worker hangs", hung::exists);
      closeInTime(pipeline);
      assertThrows(ArenaClosedException.class, () -> Deadlines.result(waiting));
      assertEquals(0, ProcessHandle.current().children().count());
    }
  }

  /** Cares for no interrupt. */
  private static int neverEnds(File hung) {
    boolean mine = hung.mkdir();
    while (hung.exists()) {
      LockSupport.parkNanos(10_000_000);
      mine |= Thread.interrupted();
    }
    return mine ? 1 : 0;
  }

  /** Whoever asks this process to end waits in vain. */
  private static void blockExit() {
    Runtime.getRuntime().addShutdownHook(new Thread(() -> Deadlines.pause(Duration.ofHours(1))));
  }

  private static long workersPid() {
    return ProcessHandle.current().children().findAny().orElseThrow().pid();
  }

  /** Right behind a close that could not end a worker; the rest comes without another one. */
  private static void assertKeptUntilItHasEnded(
      long worker, SharedMemoryArena input, SharedMemoryArena output) {
    boolean kept = !bothOpen(input, output);
    assertTrue(kept || !isAlive(worker), "the arenas are free and the worker lives");
    Deadlines.assertEventually("nothing is kept", () -> Quarantine.size() == 0);
    assertEquals(0, ProcessHandle.current().children().count(), "workers are left");
    assertTrue(bothOpen(input, output));
    assertEquals(0, input.stats().held());
  }

  private static boolean bothOpen(SharedMemoryArena input, SharedMemoryArena output) {
    try (var _ = input.openWriter();
        var _ = output.openReader()) {
      return true;
    } catch (IllegalStateException e) {
      return false;
    }
  }

  /** Runs a main method in which steps of teardown fail. */
  private static void runFailing(Class<?> main, Path folder, int... steps) {
    PausePoints failing = PausePoints.in(folder).act("PARENT_TEARDOWN_STEP", "throw", steps);
    try (ChildJvm child =
        ChildJvm.of(main).jvmArgs(failing.jvmArgument()).args(folder.toString()).start()) {
      child.awaitSuccess(Duration.ofMinutes(3));
    }
  }

  /** Closes a pipeline whose worker cannot be ended at first, and only once. */
  static final class ClosingOnce {
    private ClosingOnce() {}

    public static void main(String[] arguments) {
      File hung = new File(arguments[0], "hung");
      try (Lines.Arenas inputs = Lines.Arenas.pools(1, 2);
          Lines.Arenas outputs = Lines.Arenas.pools(1, 2)) {
        PipelineIterable<Integer> pipeline =
            Pipeline.from(new Lines.Below(10))
                .<float[]>map(Lines::payload)
                .to(
                    Lines.region(1)
                        .initializer(_ -> blockExit())
                        .inputArena(inputs::get)
                        .outputArena(outputs::get))
                .<float[]>map(payload -> Lines.payload(neverEnds(hung)))
                .toMain()
                .<Integer>map(Lines::stamp)
                .build();
        var _ = Deadlines.start("waiting", pipeline.iterator()::next);
        Deadlines.assertEventually("the worker hangs", hung::exists);
        long worker = workersPid();

        FaultPoint.InjectedFault failed =
            assertThrows(FaultPoint.InjectedFault.class, pipeline::close);

        assertInstanceOf(StorageRetainedException.class, failed.getSuppressed()[0]);
        assertKeptUntilItHasEnded(worker, inputs.get(0), outputs.get(0));
        pipeline.close();
      }
    }
  }

  /** The step that kills it fails. */
  // B204
  @Test
  void arenasOfAWorkerThatCannotBeEndedStayAndComeBackWithoutAnotherClose(@TempDir Path folder) {
    runFailing(ClosingOnce.class, folder, 7);
  }

  /**
   * Closes a pipeline whose second worker is being started, and is not ended by the first tries.
   */
  static final class ClosingDuringAStart {
    private ClosingDuringAStart() {}

    public static void main(String[] arguments) {
      File died = new File(arguments[0], "died");
      File hung = new File(arguments[0], "hung");
      try (Lines.Arenas inputs = Lines.Arenas.pools(1, 2);
          Lines.Arenas outputs = Lines.Arenas.pools(1, 2)) {
        PipelineIterable<Integer> pipeline =
            Pipeline.from(new Lines.Below(10))
                .<float[]>map(Lines::payload)
                .to(
                    Lines.region(1)
                        .initializer(_ -> hangsIf(died, hung))
                        .onWorkerDeath(OnWorkerDeath.RESTART)
                        .inputArena(inputs::get)
                        .outputArena(outputs::get))
                .<float[]>map(_ -> dies(died))
                .toMain()
                .<Integer>map(Lines::stamp)
                .build();
        var _ = Deadlines.start("waiting", pipeline.iterator()::next);
        Deadlines.assertEventually("the second worker hangs", hung::exists);
        long worker = workersPid();

        try {
          pipeline.close();
        } catch (FaultPoint.InjectedFault | StorageRetainedException e) {
          Thread.onSpinWait(); // unless the background was at it in between
        }

        assertKeptUntilItHasEnded(worker, inputs.get(0), outputs.get(0));
        pipeline.close();
      }
    }

    private static void hangsIf(File died, File hung) {
      if (died.exists()) {
        blockExit();
        int _ = neverEnds(hung);
      }
    }

    private static float[] dies(File died) {
      boolean first = died.mkdir();
      Runtime.getRuntime().halt(first ? 1 : 2);
      return new float[0];
    }
  }

  /**
   * The step that kills it is the seventh of its teardown, behind twelve of the one before, and
   * fails twice.
   */
  // B204
  @Test
  void arenasOfAWorkerThatIsBeingStartedAndCannotBeEndedStayUntilItHasEnded(@TempDir Path folder) {
    runFailing(ClosingDuringAStart.class, folder, 12 + 7, 12 + 7 + 7);
  }

  private static Pipeline<float[]> hosted(int workers) {
    return Pipeline.from(new Lines.Below(60))
        .to(
            Lines.region(workers)
                .inputArena(_ -> new SharedMemorySegmentPool(1 << 16, 4))
                .outputArena(_ -> new SharedMemorySegmentPool(1 << 16, 4)))
        .<float[]>map(Lines::payload)
        .toMain()
        .<float[]>map(payload -> Lines.payload(Lines.stamp(payload) + 1))
        .onFailure(FailurePolicy.fail());
  }

  @Test
  void failureInAWholePipelineArrivesWithItsStageAndItem() {
    try (SubprocessIterable<Integer> results =
        Subprocess.iterate(
            Pipeline.from(new Lines.Below(10))
                .to(Lines.region(1))
                .<Integer>map(
                    item -> {
                      if (item == 4) {
                        throw new IllegalStateException("no 4");
                      }
                      return item;
                    })
                .named("picky")
                .toMain()
                .onFailure(FailurePolicy.fail()),
            Lines.options().build())) {
      Iterator<Integer> pass = results.iterator();
      for (int i = 0; i < 4; i++) {
        assertEquals(i, pass.next());
      }
      StageFailedException failed = assertThrows(StageFailedException.class, pass::next);
      assertEquals("picky", failed.facts().get("stage"));
      assertEquals(4L, failed.facts().get("index"));
    }
  }

  @Test
  void arenaThatExistsCannotCrossAndIsNamedWithItsPath() {
    try (Lines.Arenas arenas = Lines.Arenas.pools(1, 4)) {
      List<SharedMemorySegmentPool> kept = List.of((SharedMemorySegmentPool) arenas.get(0));
      IllegalArgumentException refused =
          assertThrows(
              IllegalArgumentException.class,
              () ->
                  Subprocess.iterate(
                      Pipeline.from(new Lines.Below(1))
                          .to(Lines.region(1).outputArena(kept::get))
                          .<Integer>map(item -> item)
                          .toMain(),
                      Lines.options().build()));
      assertTrue(
          refused.getMessage().contains("path=outputArena.capturedArgument[0][0]"),
          refused::getMessage);
      AtomicReference<SharedMemoryArena> closedToUs = new AtomicReference<>(arenas.get(0));
      refused =
          assertThrows(
              IllegalArgumentException.class,
              () ->
                  Subprocess.iterate(
                      Pipeline.from(new Lines.Below(1))
                          .to(Lines.region(1).inputArena(_ -> closedToUs.get()))
                          .<Integer>map(item -> item)
                          .toMain(),
                      Lines.options().build()));
      assertTrue(refused.getMessage().contains("path=inputArena"), refused::getMessage);
      assertEquals(0, ProcessHandle.current().children().count());
    }
  }

  /** Runs a pipeline, in a host if asked, and then ends by itself or waits to be killed. */
  static final class MainProcess {
    private MainProcess() {}

    public static void main(String[] arguments) {
      Iterable<float[]> results = arguments[0].equals("host") ? inHost() : hosted(1).build();
      Iterator<float[]> pass = results.iterator();
      assertEquals(1, Lines.stamp(pass.next()));
      long[] pids = ProcessHandle.current().descendants().mapToLong(ProcessHandle::pid).toArray();
      System.out.println("pids " + Arrays.toString(pids));
      if (arguments[1].equals("exit")) {
        return;
      }
      Deadlines.pause(Duration.ofHours(1));
      System.out.println(pass.hasNext());
    }

    // B209, B210
    private static Iterable<float[]> inHost() {
      SubprocessIterable<float[]> results =
          Subprocess.iterate(
              hosted(2), Lines.options().arena(new SharedMemorySegmentPool(1 << 16, 4)).build());
      for (int pass = 0; pass < 2; pass++) {
        assertEquals(
            Lines.listBelow(60).stream().map(item -> item + 1).toList(),
            Lines.pass(results).stream().map(Lines::stamp).toList());
        assertEquals(List.of(1, 2, 3), Lines.some(results, 3).stream().map(Lines::stamp).toList());
      }
      assertEquals(2, ProcessHandle.of(results.pid()).orElseThrow().children().count());
      return results;
    }
  }

  @Test
  void wholePipelineRunsInAWorkerAndNothingIsLeftFiveSecondsAfterTheMainProcessWasKilled() {
    for (String where : List.of("host", "here")) {
      try (ChildJvm main = ChildJvm.of(MainProcess.class).args(where, "wait").start()) {
        long[] pids = pids(main, where.equals("host") ? 3 : 1);
        main.killAndAwait();
        awaitAllGone(pids);
      }
    }
  }

  // B205
  @Test
  void pipelineThatIsNeverClosedDoesNotKeepTheProcess() {
    for (String where : List.of("host", "here")) {
      try (ChildJvm main = ChildJvm.of(MainProcess.class).args(where, "exit").start()) {
        long[] pids = pids(main, where.equals("host") ? 3 : 1);
        main.awaitSuccess();
        awaitAllGone(pids);
      }
    }
  }

  private static void awaitAllGone(long[] pids) {
    Deadlines.assertEventually(
        "all workers are gone",
        Duration.ofSeconds(5),
        () -> Arrays.stream(pids).noneMatch(RegionTeardownTest::isAlive));
  }

  private static long[] pids(ChildJvm main, int expected) {
    String line = main.awaitLine("pids ");
    long[] pids =
        Arrays.stream(line.substring(1, line.length() - 1).split(", ", -1))
            .mapToLong(Long::parseLong)
            .toArray();
    assertEquals(expected, pids.length, line);
    return pids;
  }

  private static boolean isAlive(long pid) {
    return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
  }
}
