package dev.holdfast.acceptance.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.acceptance.capacity.Probe;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.PausePoints;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Workers whose parent has gone without a word, and parents that go in other ways. */
@ExtendWith(Leftovers.class)
@Timeout(180)
final class OrphanTest {
  private static final String SHARED_MEMORY = "/dev/shm";
  private static final int EXIT_ON_OUT_OF_MEMORY = 3;

  private static final Duration FILLING = Duration.ofSeconds(3);

  @TempDir private Path folder;

  /** By the kernel's signal, and where user code has undone it, by the watcher alone. */
  // R36 (a) to (e)
  @Test
  void whateverUserCodeDoesTheWorkerEnds() {
    List<String> members =
        List.of(
            CrowdMain.FULL,
            Busy.SLEEPS.name(),
            Busy.WAITS_IN_NATIVE_CODE.name(),
            Busy.HOLDS_UP_SAFEPOINTS.name(),
            CrowdMain.deaf(Busy.SLEEPS),
            CrowdMain.deaf(Busy.WAITS_IN_NATIVE_CODE),
            Busy.PRINTS.name(),
            Busy.SPINS.name(),
            CrowdMain.deaf(Busy.PRINTS),
            CrowdMain.deaf(Busy.SPINS));
    try (ChildJvm parent = CrowdMain.start(Transport.POOL, SHARED_MEMORY, folder, members)) {
      Map<String, Long> workers = CrowdMain.await(folder, members);
      Deadlines.pause(Duration.ofMillis(200));
      long killed = System.nanoTime();

      parent.killAndAwait();

      workers.forEach(
          (member, pid) ->
              Promise.ends("an orphan that " + member, pid, Promise.ORPHAN_GONE, killed));
    }
  }

  /** The kernel's signal is undone, and the watch has met a full heap again and again. */
  // R36
  @Test
  void aWorkerWhoseHeapWasFullForAWhileEndsAllTheSame() {
    List<String> members = List.of(CrowdMain.deaf(Busy.FILLS_THE_HEAP));
    try (ChildJvm parent = CrowdMain.start(Transport.POOL, SHARED_MEMORY, folder, members)) {
      Map<String, Long> workers = CrowdMain.await(folder, members);
      Deadlines.pause(FILLING);
      long killed = System.nanoTime();

      parent.killAndAwait();

      workers.forEach(
          (member, pid) ->
              Promise.ends("an orphan that " + member, pid, Promise.ORPHAN_GONE, killed));
    }
  }

  /** Neither the kernel's signal nor a pidfd helps: what is left is {@code /proc/PID/stat}. */
  // R36
  @Test
  void whereTheKernelRefusesPidfdsTheWorkerEndsAllTheSame() throws IOException {
    Path log = folder.resolve("calls");
    String[] withoutPidfds = {
      "strace",
      "-D",
      "-f",
      "-qq",
      "--seccomp-bpf",
      "-o",
      log.toString(),
      "-e",
      "trace=pidfd_open",
      "-e",
      "inject=pidfd_open:error=EPERM"
    };
    Probe.assumeWorks(
        Stream.concat(Stream.of(withoutPidfds), Stream.of("true")).toArray(String[]::new));
    List<String> members = List.of(CrowdMain.deaf(Busy.SLEEPS));
    try (ChildJvm parent =
        CrowdMain.start(Transport.CHANNEL, SHARED_MEMORY, folder, members, withoutPidfds)) {
      Map<String, Long> workers = CrowdMain.await(folder, members);
      Deadlines.pause(Duration.ofMillis(200));
      long killed = System.nanoTime();

      parent.kill(ChildJvm.SIGKILL);

      try {
        workers
            .values()
            .forEach(
                pid -> Promise.ends("an orphan without pidfds", pid, Promise.ORPHAN_GONE, killed));
      } finally {
        workers.values().forEach(Pids::killLeft);
      }
      assertEquals(ChildJvm.SIGNALLED + ChildJvm.SIGKILL, parent.awaitExit());
      String calls = Files.readString(log);
      assertTrue(calls.contains("EPERM") && calls.contains("(INJECTED)"), calls);
    }
  }

  // R36
  @ParameterizedTest
  @EnumSource(names = {"HALTS", "RUNS_OUT_OF_MEMORY"})
  void aParentThatEndsWithoutItsHooksTakesTheWorkerWithIt(ParentMain.Ending ending) {
    try (ChildJvm parent =
        ParentMain.lost(Busy.SLEEPS, SHARED_MEMORY, folder, 1, ending)
            .jvmArgs("-Xmx64m", "-XX:+ExitOnOutOfMemoryError")
            .start()) {
      long worker = Long.parseLong(parent.awaitLine("WORKER "));
      int status = parent.awaitExit();
      long gone = System.nanoTime();

      assertEquals(
          ending == ParentMain.Ending.HALTS ? ParentMain.STATUS : EXIT_ON_OUT_OF_MEMORY, status);
      Promise.ends("an orphan of one that " + ending, worker, Promise.ORPHAN_GONE, gone);
    }
  }

  // R36
  @Test
  void aParentThatIsToldToEndTakesTheWorkerWithIt() {
    try (ChildJvm parent =
        ParentMain.lost(Busy.SPINS, SHARED_MEMORY, folder, 1, ParentMain.Ending.WAITS).start()) {
      long worker = PausePoints.in(folder).awaitReached(Busy.POINT);
      long told = System.nanoTime();

      parent.kill(ChildJvm.SIGTERM);

      assertEquals(ChildJvm.SIGNALLED + ChildJvm.SIGTERM, parent.awaitExit());
      Promise.ends("a worker", worker, Promise.ORPHAN_GONE, told);
    }
  }

  // R37
  @Test
  void aProcessThatInheritsWhateverTheParentHasOpenKeepsNoWorkerAlive() {
    try (ChildJvm parent = ChildJvm.of(TwoWorkersMain.class).args(folder.toString()).start()) {
      long first = Long.parseLong(parent.awaitLine("WORKER "));
      long bystander = Long.parseLong(parent.awaitLine("BYSTANDER "));
      long second = Long.parseLong(parent.awaitLine("WORKER "));
      try {
        parent.awaitLine("READY");
        long killed = System.nanoTime();

        parent.killAndAwait();

        Promise.ends("the first orphan", first, Promise.ORPHAN_GONE, killed);
        Promise.ends("the second orphan", second, Promise.ORPHAN_GONE, killed);
        assertTrue(Pids.isAlive(bystander), "the bystander lives");
      } finally {
        Pids.killLeft(bystander);
      }
      Deadlines.assertEventually("the bystander has ended", () -> !Pids.isAlive(bystander));
    }
  }
}
