package dev.holdfast.acceptance.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.holdfast.acceptance.fire.CrashMatrix;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.PausePoints;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A parent that is killed with SIGKILL. Its arenas lie in {@code /dev/shm}. */
@ExtendWith(Leftovers.class)
@Timeout(180)
final class ParentKilledInEachStateTest {
  private static final String SHARED_MEMORY = "/dev/shm";

  @TempDir private Path folder;

  // R36
  @Test
  void whateverItsWorkersDoTheyEndWithIt() {
    verify(Transport.POOL, WorkerState.with(Transport.POOL).stream());
  }

  // R36
  @Test
  void whateverItsWorkersDoToARingTheyEndWithIt() {
    verify(Transport.RING, WorkerState.with(Transport.RING).stream());
  }

  // R36
  @Test
  void whateverItsWorkersDoTheyEndWithItWithoutAnArenaToo() {
    verify(
        Transport.CHANNEL,
        Stream.of(
            WorkerState.BETWEEN_ITEMS,
            WorkerState.IN_USER_CODE,
            WorkerState.SENT,
            WorkerState.WAITING_FOR_A_COMMAND));
  }

  private void verify(Transport transport, Stream<WorkerState> states) {
    List<String> members = states.map(WorkerState::name).toList();
    try (ChildJvm parent = CrowdMain.start(transport, SHARED_MEMORY, folder, members)) {
      Map<String, Long> workers = CrowdMain.await(folder, members);
      long killed = System.nanoTime();

      parent.killAndAwait();

      workers.forEach(
          (state, pid) ->
              Promise.ends("an orphan when " + state, pid, Promise.ORPHAN_GONE, killed));
    }
    CrashMatrix.count("a parent of many workers", members.size(), 1);
  }

  // R36, R38
  @Test
  void aWorkerThatWasBornAnOrphanEnds() {
    PausePoints points = PausePoints.in(folder).pause("PARENT_STARTED_WORKER", 1);
    try (ChildJvm parent =
        ParentMain.lost(Busy.SLEEPS, "none", folder, 1, ParentMain.Ending.WAITS)
            .jvmArgs(points.jvmArgument())
            .start()) {
      assertEquals(parent.pid(), points.awaitReached("PARENT_STARTED_WORKER"));
      long worker = childrenOf(parent).getFirst();
      ChildJvm.signal(worker, ChildJvm.SIGSTOP);

      parent.killAndAwait();
      Deadlines.assertEventually("the parent has gone", () -> !Pids.isAlive(parent.pid()));
      long released = System.nanoTime();
      if (Pids.isAlive(worker)) {
        ChildJvm.signal(worker, ChildJvm.SIGCONT);
      }

      Promise.ends("an orphan from birth", worker, Promise.ORPHAN_GONE, released);
    }
  }

  private static List<Long> childrenOf(ChildJvm parent) {
    return ProcessHandle.of(parent.pid()).orElseThrow().children().map(ProcessHandle::pid).toList();
  }
}
