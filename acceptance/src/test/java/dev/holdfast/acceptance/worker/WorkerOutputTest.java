package dev.holdfast.acceptance.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.SubprocessOptions;
import dev.holdfast.loader.WorkerDiedException;
import dev.holdfast.loader.WorkerOutput;
import dev.holdfast.loader.WorkerSource;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.GcPressure;
import dev.holdfast.testkit.Leftovers;
import java.io.ByteArrayOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.LongAdder;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What user code writes to the standard streams never touches the items. */
@ExtendWith(Leftovers.class)
@Timeout(180)
final class WorkerOutputTest {
  private static final int MIB = 1 << 20;
  private static final int ITEMS = 4;
  private static final int LINES = 40_000;
  private static final String LINE = "x".repeat(103) + "\n";

  /** What {@link #flood} writes to each stream altogether. */
  private static final long FLOOD = (long) LINES * LINE.length() + 6L * MIB;

  private static final long KEPT_IN_PARENT = 4L * MIB;

  /** Two, three and four bytes in UTF-8. */
  private static final List<String> LETTERS = List.of("\u00fc", "\u20ac", "\ud83d\ude00");

  @TempDir private Path folder;

  // R50
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void tenMebibytesOnEachStreamHoldNothingUpAndAllArrive(boolean arena) throws Exception {
    Path out = folder.resolve("out");
    Path err = folder.resolve("err");
    SubprocessOptions options =
        Workers.options(arena, 4)
            .standardOutput(WorkerOutput.file(out))
            .standardError(WorkerOutput.file(err))
            .build();
    try (SubprocessIterable<Map<String, Object>> items = Subprocess.iterate(flooding(), options)) {
      verifyItems(items);
    }
    assertEquals(FLOOD, Files.size(out));
    assertEquals(FLOOD, Files.size(err));
    assertTrue(
        new String(Files.readAllBytes(err), StandardCharsets.ISO_8859_1).startsWith(LINE + LINE));
  }

  // R50
  @Test
  void lastWordsOfAWorkerThatHaltsArriveWholeAndInTheirOrder() {
    PrintStream out = System.out;
    try {
      for (int round = 0; round < 5; round++) {
        Slow heard = new Slow();
        System.setOut(new PrintStream(heard, true, StandardCharsets.UTF_8));
        SubprocessOptions options =
            Workers.options().standardOutput(WorkerOutput.inherit()).build();
        assertThrows(
            WorkerDiedException.class, () -> Subprocess.iterate(talkingToTheEnd(), options));
        Deadlines.assertEventually("all is there", () -> heard.size() >= lastWords().length());
        assertEquals(lastWords(), heard.toString(StandardCharsets.UTF_8));
      }
    } finally {
      System.setOut(out);
    }
  }

  /** So slow that the pipe is full when the worker ends. */
  private static final class Slow extends ByteArrayOutputStream {
    @Override
    public synchronized void write(byte[] bytes, int offset, int count) {
      Deadlines.pause(Duration.ofMillis(2));
      super.write(bytes, offset, count);
    }
  }

  private static WorkerSource<Integer> talkingToTheEnd() {
    return _ -> {
      System.out.print(lastWords());
      System.out.flush();
      Runtime.getRuntime().halt(3);
      return List.of();
    };
  }

  private static String lastWords() {
    return IntStream.range(0, 40_000).mapToObj(i -> i + "\n").collect(Collectors.joining());
  }

  // R50
  @Test
  void whatIsDiscardedIsNotKeptByTheParent() {
    GcPressure.collect(2);
    long before = usedHeap();
    SubprocessOptions options = Workers.options().jvmArgs("-Xlog:gc").build();
    try (SubprocessIterable<Map<String, Object>> items = Subprocess.iterate(flooding(), options)) {
      verifyItems(items);
      GcPressure.collect(2);
      long kept = usedHeap() - before;
      assertTrue(kept < KEPT_IN_PARENT, () -> "kept=" + kept);
    }
  }

  // R50
  @Test
  void whatIsInheritedComesOutOfTheStreamsOfTheParent() {
    PrintStream out = System.out;
    PrintStream err = System.err;
    LongAdder outBytes = new LongAdder();
    LongAdder errBytes = new LongAdder();
    System.setOut(counting(outBytes));
    System.setErr(counting(errBytes));
    try {
      SubprocessOptions options =
          Workers.options()
              .standardOutput(WorkerOutput.inherit())
              .standardError(WorkerOutput.inherit())
              .build();
      try (SubprocessIterable<Map<String, Object>> items =
          Subprocess.iterate(flooding(), options)) {
        verifyItems(items);
      }
    } finally {
      System.setOut(out);
      System.setErr(err);
    }
    assertTrue(outBytes.sum() >= FLOOD, outBytes::toString);
    assertTrue(errBytes.sum() >= FLOOD, errBytes::toString);
  }

  // R50
  @Test
  void whatIsLoggedComesLineByLine() {
    List<String> lines = new ArrayList<>();
    Handler handler =
        new Handler() {
          @Override
          public synchronized void publish(LogRecord logged) {
            lines.add(logged.getMessage());
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Logger logger = Logger.getLogger("dev.holdfast.worker");
    logger.addHandler(handler);
    logger.setUseParentHandlers(false);
    try {
      SubprocessOptions options = Workers.options().standardOutput(WorkerOutput.log()).build();
      WorkerSource<Integer> source =
          _ ->
              Workers.counting(
                  3,
                  i -> {
                    System.out.println("item " + i);
                    return i;
                  });
      try (SubprocessIterable<Integer> items = Subprocess.iterate(source, options)) {
        items.forEach(_ -> {});
      }
    } finally {
      logger.removeHandler(handler);
      logger.setUseParentHandlers(true);
    }
    assertEquals(List.of("item 0", "item 1", "item 2"), lines);
  }

  // R51
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void bytesThatAreWrittenPastJavaDisturbNoItem(boolean arena) throws Exception {
    Path out = folder.resolve("out");
    SubprocessOptions options =
        Workers.options(arena, 4)
            .jvmArgs("-Xcheck:jni")
            .standardOutput(WorkerOutput.file(out))
            .build();
    WorkerSource<Map<String, Object>> source =
        _ ->
            Workers.counting(
                ITEMS,
                i -> {
                  writePastJava();
                  return Workers.stampedItem(i);
                });
    try (SubprocessIterable<Map<String, Object>> items = Subprocess.iterate(source, options)) {
      verifyItems(items);
    }
    String written = new String(Files.readAllBytes(out), StandardCharsets.ISO_8859_1);
    assertEquals(ITEMS, occurrences(written, "from a descriptor"));
    assertEquals(ITEMS, occurrences(written, "from a grandchild"));
    assertEquals(ITEMS, occurrences(written, "from native code"));
  }

  // R51
  @ParameterizedTest
  @ValueSource(ints = {4096, 1 << 20})
  void charactersOfSeveralBytesCrossTheEdgesOfBuffers(int channelBytes) {
    SubprocessOptions options = Workers.options().channelBytes(channelBytes).build();
    List<String> expected = texts();
    try (SubprocessIterable<String> items = Subprocess.iterate(_ -> texts(), options)) {
      List<String> seen = new ArrayList<>();
      items.forEach(seen::add);
      assertEquals(expected, seen);
    }
  }

  // R50
  @Test
  void aGrandchildThatKeepsTheStreamsKeepsNoClose() {
    WorkerSource<Long> source =
        _ ->
            Workers.counting(
                1,
                _ -> {
                  try {
                    return new ProcessBuilder("sleep", "600").inheritIO().start().pid();
                  } catch (IOException e) {
                    throw new UncheckedIOException(e);
                  }
                });
    SubprocessIterable<Long> items = Subprocess.iterate(source, Workers.options().build());
    long grandchild = items.iterator().next();
    try {
      Workers.close(items);
      assertTrue(Pids.isAlive(grandchild));
    } finally {
      Pids.killLeft(grandchild);
    }
  }

  // R50
  @Test
  void aGrandchildThatKeepsTheStreamsDelaysNoReportOfADeath() {
    WorkerSource<Long> source =
        _ ->
            Workers.counting(
                2,
                i -> {
                  if (i == 1) {
                    Runtime.getRuntime().halt(3);
                  }
                  try {
                    return new ProcessBuilder("sleep", "600").inheritIO().start().pid();
                  } catch (IOException e) {
                    throw new UncheckedIOException(e);
                  }
                });
    SubprocessIterable<Long> items = Subprocess.iterate(source, Workers.options().build());
    Iterator<Long> iterator = items.iterator();
    long grandchild = iterator.next();
    try {
      long begin = System.nanoTime();
      WorkerDiedException died = assertThrows(WorkerDiedException.class, iterator::next);
      Promise.kept("death", Promise.DEATH_REPORTED, begin);
      assertEquals(3, died.facts().get("exit"));
      assertTrue(Pids.isAlive(grandchild));
      Workers.close(items);
    } finally {
      Pids.killLeft(grandchild);
    }
  }

  private static WorkerSource<Map<String, Object>> flooding() {
    return _ ->
        Workers.counting(
            ITEMS,
            i -> {
              flood(System.out, i);
              flood(System.err, i);
              return Workers.stampedItem(i);
            });
  }

  /** Lines ahead of the first item, then an endless one, then no text at all. */
  private static void flood(PrintStream stream, int item) {
    switch (item) {
      case 0 -> {
        for (int i = 0; i < LINES; i++) {
          stream.print(LINE);
        }
      }
      case 1 -> stream.print("y".repeat(3 * MIB));
      case 2 -> {
        byte[] noText = new byte[3 * MIB];
        new Random(item).nextBytes(noText);
        stream.write(noText, 0, noText.length);
      }
      default -> {
        // quiet
      }
    }
    stream.flush();
  }

  private static void verifyItems(SubprocessIterable<Map<String, Object>> items) {
    int seen = 0;
    for (Map<String, Object> item : items) {
      Workers.verify(seen++, item);
    }
    assertEquals(ITEMS, seen);
  }

  private static void writePastJava() {
    try {
      // not closed, since its descriptor is the stream of the whole process
      OutputStream descriptor = new FileOutputStream(FileDescriptor.out);
      descriptor.write("from a descriptor\n".getBytes(StandardCharsets.UTF_8));
      byte[] noText = new byte[5000];
      new Random(1).nextBytes(noText);
      descriptor.write(noText);
      Process child = new ProcessBuilder("echo", "from a grandchild").inheritIO().start();
      assertEquals(0, child.waitFor());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    writeNatively("from native code\n");
  }

  @SuppressWarnings("restricted") // user code may do what it likes
  private static void writeNatively(String text) {
    Linker linker = Linker.nativeLinker();
    MethodHandle write =
        linker.downcallHandle(
            linker.defaultLookup().findOrThrow("write"),
            FunctionDescriptor.of(
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_INT,
                ValueLayout.ADDRESS,
                ValueLayout.JAVA_LONG));
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment bytes = arena.allocateFrom(text);
      long written = (long) write.invokeExact(1, bytes, bytes.byteSize() - 1);
      assertEquals(text.length(), written);
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  /** Texts with a letter that ends at, just before and just behind each edge. */
  private static List<String> texts() {
    List<String> texts = new ArrayList<>();
    for (String letter : LETTERS) {
      int length = letter.getBytes(StandardCharsets.UTF_8).length;
      for (int edge : new int[] {1024, 4096, 8192}) {
        for (int end = edge - 1; end <= edge + 1; end++) {
          texts.add("x".repeat(end - length) + letter + "y".repeat(end % 7));
        }
      }
    }
    return texts;
  }

  private static int occurrences(String text, String part) {
    return text.split(part, -1).length - 1;
  }

  private static PrintStream counting(LongAdder bytes) {
    return new PrintStream(
        new OutputStream() {
          @Override
          public void write(int b) {
            bytes.increment();
          }

          @Override
          public void write(byte[] buffer, int offset, int count) {
            bytes.add(count);
          }
        },
        true,
        StandardCharsets.UTF_8);
  }

  private static long usedHeap() {
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }
}
