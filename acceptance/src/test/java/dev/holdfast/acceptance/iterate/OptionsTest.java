package dev.holdfast.acceptance.iterate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.SubprocessOptions;
import dev.holdfast.loader.WorkerDiedException;
import dev.holdfast.loader.WorkerFailedException;
import dev.holdfast.loader.WorkerOutput;
import dev.holdfast.loader.WorkerSource;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import java.io.IOException;
import java.io.ObjectInputFilter;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What a worker is started with. */
@ExtendWith(Leftovers.class)
@Timeout(300)
final class OptionsTest {
  @TempDir private Path folder;

  private static <T> List<T> run(WorkerSource<T> source, SubprocessOptions options) {
    try (SubprocessIterable<T> items = Subprocess.iterate(source, options)) {
      return Feeds.all(items);
    }
  }

  private static SubprocessOptions.Builder shortLived() {
    return SubprocessOptions.builder().jvmArgs(ChildJvm.SHORT_LIVED);
  }

  @Test
  void contextNamesTheWorkerAndItsSeedIsTheSameInEachRun() {
    WorkerSource<List<Long>> source =
        context -> List.of(List.of((long) context.index(), (long) context.count(), context.seed()));
    List<Long> first = run(source, shortLived().seed(5).build()).getFirst();
    List<Long> again = run(source, shortLived().seed(5).build()).getFirst();
    List<Long> other = run(source, shortLived().seed(6).build()).getFirst();
    assertEquals(List.of(0L, 1L), first.subList(0, 2));
    assertEquals(first, again);
    assertNotEquals(first.get(2), other.get(2));
  }

  @Test
  void environmentFolderAndJvmOptionsAreTheWorkers() throws Exception {
    Path inner = Files.createDirectory(folder.resolve("a folder with spaces"));
    SubprocessOptions options =
        shortLived()
            .environment("HOLDFAST_TEST", "a value, with = signs")
            .environment("EMPTY_ONE", "")
            .workingDirectory(inner)
            .jvmArgs("-Xmx77m", "-Dholdfast.test=a property", "-ea")
            .build();
    WorkerSource<Map<String, Object>> source =
        _ ->
            List.of(
                Map.of(
                    "variable", String.valueOf(System.getenv("HOLDFAST_TEST")),
                    "empty", String.valueOf(System.getenv("EMPTY_ONE")),
                    "path", System.getenv("PATH").equals("") ? "" : "inherited",
                    "folder", Path.of("").toAbsolutePath().toString(),
                    "property", System.getProperty("holdfast.test"),
                    "heap", Runtime.getRuntime().maxMemory() <= (78L << 20)));
    assertEquals(
        Map.of(
            "variable", "a value, with = signs",
            "empty", "",
            "path", "inherited",
            "folder", inner.toRealPath().toString(),
            "property", "a property",
            "heap", true),
        run(source, options).getFirst());
  }

  @Test
  void initializersRunInOrderBeforeTheSourceIsOpenedAndOnce() {
    SubprocessOptions options =
        shortLived()
            .initializer(context -> System.setProperty("order", "first" + context.index()))
            .initializer(_ -> System.setProperty("order", System.getProperty("order") + " second"))
            .build();
    try (SubprocessIterable<String> items =
        Subprocess.iterate(_ -> List.of(System.getProperty("order")), options)) {
      assertEquals(List.of("first0 second"), Feeds.all(items));
      assertEquals(List.of("first0 second"), Feeds.all(items));
    }
  }

  private static WorkerSource<Integer> talking() {
    return Feeds.counting(
        3,
        index -> {
          System.out.println("out " + index);
          System.err.println("err " + index);
          return index;
        });
  }

  @Test
  void outputGoesToFilesThatAreContinued() throws Exception {
    Path out = Files.writeString(folder.resolve("out.txt"), "kept\n");
    Path err = folder.resolve("new.txt");
    SubprocessOptions options =
        shortLived()
            .standardOutput(WorkerOutput.file(out))
            .standardError(WorkerOutput.file(err))
            .build();
    assertEquals(List.of(0, 1, 2), run(talking(), options));
    assertEquals(List.of("kept", "out 0", "out 1", "out 2"), awaitLines(out, 4));
    assertEquals(List.of("err 0", "err 1", "err 2"), awaitLines(err, 3));
  }

  private static List<String> awaitLines(Path file, int count) throws Exception {
    Deadlines.assertEventually("the output is written", () -> lines(file).size() >= count);
    return lines(file);
  }

  private static List<String> lines(Path file) {
    try {
      return Files.readAllLines(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void fileThatCannotBeOpenedFailsTheStart() {
    SubprocessOptions options =
        shortLived().standardOutput(WorkerOutput.file(folder.resolve("missing/out.txt"))).build();
    WorkerDiedException died =
        assertThrows(WorkerDiedException.class, () -> run(talking(), options));
    assertTrue(died.getMessage().contains("missing/out.txt"), died::toString);
  }

  /** A parent whose worker talks; its own output is what the test looks at. */
  static final class Talking {
    private Talking() {}

    public static void main(String[] arguments) {
      SubprocessOptions.Builder options = shortLived();
      switch (arguments[0]) {
        case "standardError" -> options.standardOutput(WorkerOutput.standardError());
        case "discard" ->
            options.standardOutput(WorkerOutput.discard()).standardError(WorkerOutput.discard());
        case "log" -> options.standardOutput(WorkerOutput.log()).standardError(WorkerOutput.log());
        default -> {
          // the default is to inherit
        }
      }
      run(talking(), options.build());
    }
  }

  private static ChildJvm talk(String where) {
    ChildJvm parent = ChildJvm.of(Talking.class).args(where).start();
    parent.awaitSuccess();
    return parent;
  }

  @Test
  void outputIsInheritedUnlessItIsSentElsewhere() {
    try (ChildJvm parent = talk("inherit")) {
      assertTrue(parent.output().contains("out 2"), parent::output);
      assertTrue(parent.errorOutput().contains("err 2"), parent::errorOutput);
    }
    try (ChildJvm parent = talk("standardError")) {
      assertFalse(parent.output().contains("out"), parent::output);
      assertTrue(parent.errorOutput().contains("out 2"), parent::errorOutput);
      assertTrue(parent.errorOutput().contains("err 2"), parent::errorOutput);
    }
    try (ChildJvm parent = talk("discard")) {
      assertFalse(parent.output().contains("out"), parent::output);
      assertFalse(parent.errorOutput().contains("err"), parent::errorOutput);
    }
    try (ChildJvm parent = talk("log")) {
      assertTrue(parent.errorOutput().contains("INFO: out 2"), parent::errorOutput);
      assertTrue(parent.errorOutput().contains("INFO: err 2"), parent::errorOutput);
    }
  }

  /** A class that the filter of the test refuses. */
  record Refused(int number) implements Serializable {}

  @Test
  void filterRefusesAnItemInItsPlaceAndTheFollowingOnesArrive() {
    SubprocessOptions options =
        Feeds.options(true)
            .deserializationFilter(
                info ->
                    info.serialClass() == Refused.class
                        ? ObjectInputFilter.Status.REJECTED
                        : ObjectInputFilter.Status.UNDECIDED)
            .build();
    WorkerSource<Object> source =
        Feeds.counting(
            30, index -> List.of(new byte[5_000], index % 3 == 1 ? new Refused(index) : index));
    try (SubprocessIterable<Object> items = Subprocess.iterate(source, options)) {
      Iterator<Object> iterator = items.iterator();
      for (int index = 0; index < 30; index++) {
        if (index % 3 == 1) {
          WorkerFailedException failed = assertThrows(WorkerFailedException.class, iterator::next);
          assertEquals((long) index, failed.facts().get("index"));
          assertTrue(failed.getMessage().contains("REJECTED"), failed::toString);
        } else {
          assertEquals(index, ((List<?>) iterator.next()).get(1));
        }
      }
      assertFalse(iterator.hasNext());
    }
  }

  @Test
  void payloadsPassAFilterThatAllowsTheirContainerOnly() {
    SubprocessOptions options =
        Feeds.options(true)
            .deserializationFilter(
                ObjectInputFilter.Config.createFilter("java.util.*;java.lang.*;!*"))
            .build();
    WorkerSource<Map<String, Object>> source = Feeds.stamped(5);
    try (SubprocessIterable<Map<String, Object>> items = Subprocess.iterate(source, options)) {
      int unit = 0;
      for (Map<String, Object> item : items) {
        Feeds.verify(item, 0, unit++);
      }
      assertEquals(5, unit);
    }
  }

  @Test
  void optionsThatCannotBeAreRefusedBeforeAnythingIsMade() {
    SubprocessOptions.Builder options = shortLived();
    assertThrows(IllegalArgumentException.class, () -> options.bufferSize(0));
    assertThrows(IllegalArgumentException.class, () -> options.channelBytes(4095));
    assertThrows(IllegalArgumentException.class, () -> options.channelBytes((1 << 30) + 1));
    assertThrows(IllegalArgumentException.class, () -> options.environment("", "x"));
    assertThrows(IllegalArgumentException.class, () -> options.environment("A=B", "x"));
    assertThrows(NullPointerException.class, () -> options.arena(null));
  }

  @Test
  void workerIsStartedWithTheSameJavaAndOnlyWhatItNeeds() {
    List<String> arguments =
        run(
            _ -> ManagementFactory.getRuntimeMXBean().getInputArguments(),
            SubprocessOptions.defaults());
    assertTrue(arguments.contains("--enable-native-access=ALL-UNNAMED"), arguments::toString);
    assertFalse(arguments.stream().anyMatch(a -> a.startsWith("-Xmx")), arguments::toString);
    List<String> homes =
        run(_ -> List.of(System.getProperty("java.home")), SubprocessOptions.defaults());
    assertEquals(List.of(System.getProperty("java.home")), homes);
  }
}
