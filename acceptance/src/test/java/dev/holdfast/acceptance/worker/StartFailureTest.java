package dev.holdfast.acceptance.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.ArenaClosedException;
import dev.holdfast.arena.HoldfastFailure;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.SubprocessOptions;
import dev.holdfast.loader.WorkerDiedException;
import dev.holdfast.loader.WorkerFailedException;
import dev.holdfast.loader.WorkerTimeoutException;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.PausePoints;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Workers that do not come to be ready, and what comes after them. */
@ExtendWith(Leftovers.class)
@Timeout(180)
final class StartFailureTest {
  private static final Duration START_LIMIT = Duration.ofSeconds(2);

  @TempDir private Path folder;

  // R59
  @Test
  void aMissingJavaCommandIsNamed() {
    WorkerDiedException failure = fails(WorkerDiedException.class, folder, Workers.options());

    assertEquals(folder.resolve("bin/java").toString(), failure.facts().get("java"));
    assertTrue(
        failure.facts().get("reason").toString().contains("No such file"), failure.getMessage());
  }

  // R59
  @Test
  void aJavaCommandThatMayNotBeRunIsNamed() throws Exception {
    javaCommand("---------", "exit 0");

    WorkerDiedException failure = fails(WorkerDiedException.class, folder, Workers.options());

    assertEquals(folder.resolve("bin/java").toString(), failure.facts().get("java"));
    assertTrue(
        failure.facts().get("reason").toString().contains("Permission denied"),
        failure.getMessage());
  }

  // R59
  @Test
  void aCommandThatSaysWhatIsWrongAndEndsIsQuoted() throws Exception {
    javaCommand("rwx------", "echo the helper does not match >&2; sleep 0.1; exit 1");

    WorkerDiedException failure = fails(WorkerDiedException.class, folder, Workers.options());

    assertEquals(1, failure.facts().get("exit"));
    assertEquals("the helper does not match", failure.facts().get("lastLines"));
    assertTrue(
        failure.facts().get("command").toString().startsWith(folder.resolve("bin/java").toString()),
        failure.getMessage());
  }

  // R59
  @Test
  void oneThatIsStoppedAtOnceIsGivenUpAtTheStartLimit() throws Exception {
    String java = System.getProperty("java.home") + "/bin/java";
    javaCommand("rwx------", "kill -STOP $$; exec " + java + " \"$@\"");
    long begin = System.nanoTime();

    WorkerTimeoutException failure =
        fails(WorkerTimeoutException.class, folder, Workers.options().startTimeout(START_LIMIT));

    verifyGivenUp(failure, begin);
    assertEquals("stopped", failure.facts().get("state"));
  }

  // R59
  @Test
  void oneThatNeverSaysReadyIsGivenUpAtTheStartLimit() {
    PausePoints points = PausePoints.in(folder).pause("WORKER_STARTING", 1);
    long begin = System.nanoTime();

    WorkerTimeoutException failure =
        fails(
            WorkerTimeoutException.class,
            Path.of(System.getProperty("java.home")),
            Workers.options().jvmArgs(points.jvmArgument()).startTimeout(START_LIMIT));

    verifyGivenUp(failure, begin);
  }

  // R59
  @Test
  void anInitializerThatNeverReturnsIsGivenUpAtTheStartLimit() {
    long begin = System.nanoTime();

    WorkerTimeoutException failure =
        fails(
            WorkerTimeoutException.class,
            Path.of(System.getProperty("java.home")),
            Workers.options()
                .initializer(_ -> Deadlines.pause(Workers.FOR_EVER))
                .startTimeout(START_LIMIT));

    verifyGivenUp(failure, begin);
  }

  // R59
  @Test
  void aMainClassThatIsMissingIsQuoted() {
    WorkerDiedException failure =
        fails(
            WorkerDiedException.class,
            Path.of(System.getProperty("java.home")),
            Workers.options().environment("CLASSPATH", folder.toString()));

    assertEquals(1, failure.facts().get("exit"));
    assertTrue(failure.getMessage().contains("ClassNotFoundException"), failure.getMessage());
    assertTrue(failure.getMessage().contains("WorkerMain"), failure.getMessage());
  }

  // R59
  @ParameterizedTest
  @ValueSource(strings = {"-Xmx1k", "-Xmx9000000g", "-Xmxmuch"})
  void aHeapThatTheJvmRefusesIsQuoted(String heap) {
    WorkerDiedException failure =
        fails(
            WorkerDiedException.class,
            Path.of(System.getProperty("java.home")),
            Workers.options().jvmArgs(heap));

    assertEquals(1, failure.facts().get("exit"));
    assertTrue(failure.getMessage().contains("heap"), failure.getMessage());
    assertTrue(failure.facts().get("command").toString().contains(heap), failure.getMessage());
  }

  // R59
  @Test
  void aWorkingDirectoryThatIsMissingIsNamed() {
    Path missing = folder.resolve("missing");

    WorkerDiedException failure =
        fails(
            WorkerDiedException.class,
            Path.of(System.getProperty("java.home")),
            Workers.options().workingDirectory(missing));

    assertTrue(failure.getMessage().contains(missing.toString()), failure.getMessage());
  }

  // R45
  @Test
  void aStartThatFailedStandsInNoOthersWay() {
    for (int i = 0; i < 2; i++) {
      SubprocessOptions.Builder failing =
          Workers.options()
              .initializer(
                  _ -> {
                    throw new IOException("not today");
                  });
      WorkerFailedException failure =
          fails(WorkerFailedException.class, Path.of(System.getProperty("java.home")), failing);
      assertEquals("not today", failure.facts().get("remoteMessage"));
      SubprocessOptions options = Workers.options(true, 4).build();
      try (SubprocessIterable<Map<String, Object>> items =
          Subprocess.iterate(Workers.stamped(2), options)) {
        Workers.verify(0, items.iterator().next());
      }
    }
  }

  // R45
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void aConstructionThatFailedStandsInNoOthersWay(int step) {
    Path file = folder.resolve("arena");
    try (ChildJvm child =
        ChildJvm.of(SecondTryMain.class)
            .jvmArgs(PausePoints.in(folder).act("CONSTRUCTION_STEP", "throw", step).jvmArgument())
            .args(file.toString())
            .start()) {
      child.awaitLine("FAILED");
      assertEquals("3", child.awaitLine("DONE "));
      child.awaitSuccess();
    }
    assertFalse(Files.exists(file));
  }

  // R45
  @Test
  void aParentThatWasKilledStandsInNobodysWay() {
    Path file = folder.resolve("arena");
    PausePoints points = PausePoints.in(folder);
    try (ChildJvm parent =
        ParentMain.lost(Busy.SLEEPS, file.toString(), folder, 1, ParentMain.Ending.WAITS).start()) {
      points.awaitReached(Busy.POINT);
      assertTrue(Files.exists(file));
      parent.killAndAwait();
    }
    points.forget(Busy.POINT);
    try (ChildJvm parent =
        ParentMain.lost(Busy.SLEEPS, file.toString(), folder, 1, ParentMain.Ending.CLOSES)
            .start()) {
      points.awaitReached(Busy.POINT);
      parent.awaitSuccess();
    }
    assertFalse(Files.exists(file));
  }

  private void javaCommand(String permissions, String script) throws IOException {
    Path java = Files.createDirectory(folder.resolve("bin")).resolve("java");
    Files.writeString(java, "#!/bin/sh\n" + script + "\n");
    Files.setPosixFilePermissions(java, PosixFilePermissions.fromString(permissions));
  }

  /** Starts a worker with the java of a folder, which fails, and checks that its arena has gone. */
  private static <E extends Exception & HoldfastFailure> E fails(
      Class<E> type, Path javaHome, SubprocessOptions.Builder options) {
    SharedMemorySegmentPool arena = Workers.pool(4);
    SubprocessOptions built = options.arena(arena).build();
    String before = System.setProperty("java.home", javaHome.toString());
    E failure;
    try {
      failure = assertThrows(type, () -> Subprocess.iterate(Workers.stamped(3), built));
    } finally {
      var _ = System.setProperty("java.home", before);
    }
    assertThrows(ArenaClosedException.class, arena::openReader);
    return failure;
  }

  private static void verifyGivenUp(WorkerTimeoutException failure, long begin) {
    Promise.kept("giving up", START_LIMIT, begin);
    long pid = (Long) failure.facts().get("pid");
    assertNotNull(failure.facts().get("state"));
    Promise.ends("a worker that was given up", pid, START_LIMIT, begin);
  }
}
