package dev.holdfast.acceptance.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.holdfast.arena.Backing;
import dev.holdfast.loader.Lease;
import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.SubprocessOptions;
import dev.holdfast.loader.WorkerDiedException;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.PausePoints;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A worker that is killed with SIGKILL while its parent waits for it. */
@ExtendWith(Leftovers.class)
@Timeout(180)
final class WorkerKilledInEachStateTest {
  @TempDir private Path folder;

  private record Run(
      @Nullable SubprocessIterable<Map<String, Object>> items,
      List<Lease<Map<String, Object>>> leases,
      WorkerDiedException died,
      long diedAt) {}

  // R33
  @ParameterizedTest
  @EnumSource
  void itsCompleteItemsComeAndThenItsDeathWithAnArena(WorkerState state) throws Exception {
    verify(state, Backing.memfd());
  }

  // R33
  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"UNIT_BEGUN", "COPYING", "COPIED", "COMMITTED", "WAITING_FOR_SPACE"})
  void itsCompleteItemsComeAndThenItsDeathWithoutAnArena(WorkerState state) throws Exception {
    verify(state, null);
  }

  private void verify(WorkerState state, @Nullable Backing backing) throws Exception {
    PausePoints points = PausePoints.in(folder);
    SubprocessOptions options = state.options(folder, backing);
    FutureTask<Run> consumer = Deadlines.start("consumer", () -> consume(state, options));

    long pid = points.awaitReached(state.point());
    long killed = Pids.kill(pid);
    Run run = Deadlines.result(consumer);

    Promise.took(
        "death when " + state, Promise.DEATH_REPORTED, Duration.ofNanos(run.diedAt - killed));
    assertEquals(pid, run.died.facts().get("pid"));
    assertEquals("SIGKILL", run.died.facts().get("signal"));
    assertEquals(137, run.died.facts().get("exit"));
    assertEquals(state.beforeReady(), run.items == null);
    assertEquals(state.delivered(), run.leases.size());
    verify(run.leases);
    if (run.items != null) {
      for (int i = 0; i < 3; i++) {
        assertSame(run.died, assertThrows(WorkerDiedException.class, run.items.iterator()::next));
      }
      Workers.close(run.items);
    }
    verify(run.leases);
    run.leases.forEach(Lease::close);
  }

  private Run consume(WorkerState state, SubprocessOptions options) {
    List<Lease<Map<String, Object>>> leases = new ArrayList<>();
    SubprocessIterable<Map<String, Object>> items = null;
    WorkerDiedException died = null;
    try {
      items = Subprocess.iterate(state.source(folder), options);
      state.consume(items, leases::add);
    } catch (WorkerDiedException e) {
      died = e;
    }
    long now = System.nanoTime();
    assertNotNull(died, "the pass ended as if all had come");
    return new Run(items, leases, died, now);
  }

  private static void verify(List<Lease<Map<String, Object>>> leases) {
    for (int i = 0; i < leases.size(); i++) {
      Workers.verify(i, leases.get(i).item());
    }
  }
}
