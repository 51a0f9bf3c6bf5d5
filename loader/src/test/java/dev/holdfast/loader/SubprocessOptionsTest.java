package dev.holdfast.loader;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import java.io.IOException;
import java.io.ObjectInputFilter;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What the options of a worker do. */
@ExtendWith(Leftovers.class)
class SubprocessOptionsTest {

  private static List<String> run(WorkerSource<String> source, SubprocessOptions options) {
    List<String> items = new ArrayList<>();
    try (SubprocessIterable<String> worker = Subprocess.iterate(source, options)) {
      worker.forEach(items::add);
    }
    return items;
  }

  @Test
  void badValuesAreRefusedBeforeAnythingIsMade() {
    SubprocessOptions.Builder builder = SubprocessOptions.builder();
    assertThrows(IllegalArgumentException.class, () -> builder.bufferSize(0));
    assertThrows(IllegalArgumentException.class, () -> builder.channelBytes(100));
    assertThrows(IllegalArgumentException.class, () -> builder.timeout(Duration.ZERO));
    assertThrows(IllegalArgumentException.class, () -> builder.startTimeout(Duration.ofDays(-1)));
    assertThrows(IllegalArgumentException.class, () -> builder.environment("a=b", "c"));
  }

  // R57
  @Test
  void folderEnvironmentAndHeapAreTheWorkersOwn(@TempDir Path folder) throws IOException {
    SubprocessOptions options =
        Sources.options()
            .workingDirectory(folder)
            .environment("HOLDFAST_TEST", "Grüße")
            .jvmArgs("-Xmx48m", "-Dfile.encoding=ISO-8859-1", "-Dholdfast.test=1")
            .build();
    List<String> seen =
        run(
            _ ->
                List.of(
                    Path.of("").toAbsolutePath().toString(),
                    String.valueOf(Runtime.getRuntime().maxMemory() <= 48L << 20),
                    System.getProperty("holdfast.test"),
                    "äöü €"),
            options);
    assertEquals(List.of(folder.toRealPath().toString(), "true", "1", "äöü €"), seen);
  }

  // R50
  @Test
  void outputGoesToItsFileAndStallsNobody(@TempDir Path folder) throws IOException {
    Path out = folder.resolve("out");
    Path err = folder.resolve("err");
    SubprocessOptions options =
        Sources.options()
            .standardOutput(WorkerOutput.file(out))
            .standardError(WorkerOutput.file(err))
            .build();
    WorkerSource<String> source =
        _ ->
            Sources.counting(
                20,
                i -> {
                  System.out.print("x".repeat(1 << 19));
                  System.err.println("line " + i);
                  return "item " + i;
                });
    assertEquals(20, run(source, options).size());
    assertEquals(20L << 19, Files.size(out)); // since the worker is closed
    assertTrue(Files.readString(err).endsWith("line 19\n"));
  }

  // a process that inherits the worker's streams and lives on holds nobody up
  @Test
  void aGrandchildWithTheWorkersStreamsDelaysNothing() {
    List<String> pids =
        run(
            _ -> {
              Process sleeper = new ProcessBuilder("sleep", "600").inheritIO().start();
              return List.of(String.valueOf(sleeper.pid()));
            },
            SubprocessOptions.defaults());
    ProcessHandle sleeper = ProcessHandle.of(Long.parseLong(pids.getFirst())).orElseThrow();
    assertTrue(sleeper.destroyForcibly());
    Deadlines.assertEventually("the sleeper is gone", () -> !sleeper.isAlive());
  }

  @Test
  void aFilterRefusesClassesAndTheNextItemComes() {
    ObjectInputFilter filter =
        info ->
            info.serialClass() == ArrayList.class
                ? ObjectInputFilter.Status.REJECTED
                : ObjectInputFilter.Status.UNDECIDED;
    SubprocessOptions options = Sources.options().deserializationFilter(filter).build();
    try (SubprocessIterable<Object> items =
        Subprocess.iterate(_ -> List.of("a", new ArrayList<>(List.of("b")), "c"), options)) {
      Iterator<Object> iterator = items.iterator();
      assertEquals("a", iterator.next());
      WorkerFailedException refused = assertThrows(WorkerFailedException.class, iterator::next);
      assertEquals(1L, refused.facts().get("index"));
      assertEquals("c", iterator.next());
      assertFalse(iterator.hasNext());
    }
  }

  @Test
  void theSourceCanSeeThatItsConsumerHasLeft(@TempDir Path folder) {
    Path waiting = folder.resolve("waiting");
    String path = waiting.toString();
    WorkerSource<Integer> source =
        context ->
            Sources.counting(
                3,
                i -> {
                  if (i == 1 && create(Path.of(path))) {
                    // the first time, for ever if need be
                    while (!context.stopRequested()) {
                      Deadlines.pause(Duration.ofMillis(5));
                    }
                  }
                  return i;
                });
    try (SubprocessIterable<Integer> items = Sources.iterate(source)) {
      assertEquals(0, items.iterator().next());
      Deadlines.assertEventually("the source waits", () -> Files.exists(waiting));
      List<Integer> second = new ArrayList<>();
      items.forEach(second::add);
      assertEquals(List.of(0, 1, 2), second);
    }
  }

  private static boolean create(Path file) {
    try {
      Files.createFile(file);
      return true;
    } catch (FileAlreadyExistsException e) {
      return false;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  // a worker can have workers of its own
  @Test
  void workersNest() {
    WorkerSource<Integer> outer =
        _ ->
            Sources.counting(
                2,
                i -> {
                  int sum = 0;
                  try (SubprocessIterable<Integer> inner = Sources.iterate(Sources.numbers(5))) {
                    for (int item : inner) {
                      sum += item + i;
                    }
                  }
                  return sum;
                });
    try (SubprocessIterable<Integer> items = Sources.iterate(outer)) {
      List<Integer> sums = new ArrayList<>();
      items.forEach(sums::add);
      assertEquals(List.of(10, 15), sums);
    }
  }
}
