package dev.holdfast.acceptance.pipeline;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.acceptance.worker.Promise;
import dev.holdfast.arena.Backing;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.WorkerDiedException;
import dev.holdfast.loader.WorkerFailedException;
import dev.holdfast.loader.WorkerInitializer;
import dev.holdfast.loader.pipeline.ArenaSource;
import dev.holdfast.loader.pipeline.FailurePolicy;
import dev.holdfast.loader.pipeline.Pipeline;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import java.io.File;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Whole pipelines in a worker: what becomes of their workers and arenas when that one ends. */
@ExtendWith(Leftovers.class)
@Timeout(300)
final class HostedRegionTest {
  private static final int WORKERS = 2;

  @TempDir private Path folder;

  /** An arena with a name that says who made it. */
  private static ArenaSource named(Path folder, String direction) {
    String where = folder.toString();
    return index ->
        SharedMemorySegmentPool.builder(1 << 16, 4)
            .backing(
                Backing.file(
                    Path.of(where, direction + "-" + index + "-" + ProcessHandle.current().pid())))
            .build();
  }

  private static SubprocessIterable<float[]> hosted(Path folder, WorkerInitializer initializer) {
    return Subprocess.iterate(
        Pipeline.from(new Lines.Below(1_000_000))
            .<float[]>map(Lines::payload)
            .to(
                Lines.region(WORKERS)
                    .initializer(initializer)
                    .inputArena(named(folder, "in"))
                    .outputArena(named(folder, "out")))
            .<float[]>map(payload -> payload)
            .toMain()
            .onFailure(FailurePolicy.fail()),
        Lines.options().build());
  }

  private static List<String> names(Path folder) {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static long[] children(long pid) {
    return ProcessHandle.of(pid).orElseThrow().children().mapToLong(ProcessHandle::pid).toArray();
  }

  /** Each pass, of which there is a folder, has its number ten times. */
  private record Numbered(String folder) implements Iterable<Integer>, Serializable {
    private static final long serialVersionUID = 1L;

    @Override
    public Iterator<Integer> iterator() {
      int pass = names(Path.of(folder)).size();
      assertTrue(new File(folder, "pass" + pass).mkdir());
      return Collections.nCopies(10, pass).iterator();
    }
  }

  // B210
  @Test
  void iterationOfAContinuousPipelineIsOnePassAndTheNextOneBeginsUnasked() {
    try (SubprocessIterable<Integer> results =
        Subprocess.iterate(
            Pipeline.from(new Numbered(folder.toString()))
                .continuous()
                .to(Lines.region(WORKERS))
                .<Integer>map(pass -> pass)
                .toMain(),
            Lines.options().build())) {
      long[] workers = children(results.pid());
      for (int pass = 0; pass < 4; pass++) {
        assertEquals(Collections.nCopies(10, pass), Lines.pass(results));
        int begun = pass + 2;
        Deadlines.assertEventually("the next pass has begun", () -> names(folder).size() >= begun);
      }
      assertArrayEquals(workers, children(results.pid()));
    }
  }

  // in the place of B194 and B212: see docs/decisions/region-workers-are-children-of-their-host.md
  @Test
  void hostThatIsKilledIsADeathAndItsWorkersWatchIt() {
    try (SubprocessIterable<float[]> results =
        Subprocess.iterate(
            Pipeline.from(new Lines.Below(1_000_000))
                .to(Lines.region(WORKERS))
                .<float[]>map(Lines::payload)
                .toMain(),
            Lines.options().build())) {
      Iterator<float[]> pass = results.iterator();
      for (int i = 0; i < 10; i++) {
        assertEquals(i, Lines.stamp(pass.next()));
      }
      long[] workers = children(results.pid());
      assertEquals(WORKERS, workers.length);
      long killed = System.nanoTime();
      ChildJvm.signal(results.pid(), ChildJvm.SIGKILL);
      WorkerDiedException died =
          assertThrows(
              WorkerDiedException.class,
              () -> {
                while (true) { // every complete result comes before
                  var _ = Lines.stamp(pass.next());
                }
              });
      Promise.kept("report of the host's death", Promise.DEATH_REPORTED, killed);
      assertEquals("SIGKILL", died.facts().get("signal"));
      assertThrows(WorkerDiedException.class, pass::next);
      try {
        for (long worker : workers) {
          Promise.ends("worker of a dead host", worker, Promise.ORPHAN_GONE, killed);
        }
      } finally {
        LongStream.of(workers).forEach(HostedRegionTest::killLeft);
      }
    }
    assertEquals(0, ProcessHandle.current().descendants().count());
  }

  private static void killLeft(long pid) {
    ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
  }

  // B207, by the host in the caller's place
  @Test
  void arenasAreMadeByTheHostWhichRemovesThemWhenItIsClosed() {
    try (SubprocessIterable<float[]> results = hosted(folder, _ -> {})) {
      assertEquals(0, Lines.stamp(results.iterator().next()));
      assertEquals(expectedNames(results.pid()), names(folder));
    }
    assertEquals(List.of(), names(folder));
  }

  private static List<String> expectedNames(long pid) {
    return Stream.of("in-0-", "in-1-", "out-0-", "out-1-").map(name -> name + pid).toList();
  }

  @Test
  void arenasOfAPipelineThatDoesNotStartAreRemoved() {
    WorkerFailedException failed =
        assertThrows(
            WorkerFailedException.class,
            () ->
                hosted(
                    folder,
                    context -> {
                      if (context.index() == 1) {
                        throw new IllegalStateException("not today");
                      }
                    }));
    assertTrue(failed.getMessage().contains("not today"), failed::getMessage);
    assertEquals(List.of(), names(folder));
  }

  /** Takes a result and ends without a close. */
  static final class MainProcess {
    private MainProcess() {}

    public static void main(String[] arguments) {
      Path folder = Path.of(arguments[0]);
      SubprocessIterable<float[]> results = hosted(folder, _ -> {});
      assertEquals(0, Lines.stamp(results.iterator().next()));
      assertEquals(expectedNames(results.pid()), names(folder));
    }
  }

  // B205
  @Test
  void arenasAreRemovedWhenTheMainProcessExitsWithoutAClose() {
    try (ChildJvm main = ChildJvm.of(MainProcess.class).args(folder.toString()).start()) {
      main.awaitSuccess();
    }
    Deadlines.assertEventually(
        "no arena is left", Promise.ORPHAN_GONE.plus(Promise.SLACK), () -> names(folder).isEmpty());
  }
}
