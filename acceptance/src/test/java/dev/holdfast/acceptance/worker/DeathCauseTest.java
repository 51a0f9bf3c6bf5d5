package dev.holdfast.acceptance.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.SubprocessOptions;
import dev.holdfast.loader.WorkerDiedException;
import dev.holdfast.loader.WorkerFailedException;
import dev.holdfast.loader.WorkerSource;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.MemoryGroup;
import dev.holdfast.testkit.PausePoints;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the error says of how a worker died. */
@ExtendWith(Leftovers.class)
@Timeout(180)
final class DeathCauseTest {
  private static final int SIGBUS = 7;
  private static final int SIGSEGV = 11;
  private static final int ABORTED = ChildJvm.SIGNALLED + 6;
  private static final int OUT_OF_MEMORY = 3;

  @TempDir private Path folder;

  // R41
  @Test
  void aKilledOneIsNamedWithItsSignalAndAHintAtMemory() {
    WorkerDiedException died = diesOf(ChildJvm.SIGKILL);

    assertEquals("SIGKILL", died.facts().get("signal"));
    assertEquals(137, died.facts().get("exit"));
    assertTrue(died.getMessage().contains("signal=SIGKILL"), died.getMessage());
    assertTrue(died.getMessage().contains("ran out of memory"), died.getMessage());
    assertFalse(died.facts().containsKey("crashReport"));
  }

  // R41
  @Test
  void anAskedOneIsNamedWithItsSignalToo() {
    WorkerDiedException died = diesOf(ChildJvm.SIGTERM);

    assertEquals("SIGTERM", died.facts().get("signal"));
    assertEquals(143, died.facts().get("exit"));
  }

  // R41
  @ParameterizedTest
  @ValueSource(ints = {SIGBUS, SIGSEGV})
  void aCrashedOneIsNamedWithTheReportOfItsJvm(int signal) {
    WorkerDiedException died = diesOf(signal);

    assertTrue(
        Set.of(ABORTED, ChildJvm.SIGNALLED + signal).contains(died.facts().get("exit")),
        died.getMessage());
    assertTrue(died.facts().get("signal").toString().startsWith("SIG"), died.getMessage());
    assertReport(died);
  }

  // R41
  @Test
  void aBadAddressInUserCodeIsACrashLikeAnyOther() {
    try (SubprocessIterable<Object> items =
        Subprocess.iterate(
            _ -> Workers.counting(1, _ -> readBadAddress()),
            options().jvmArgs("-XX:-CreateCoredumpOnCrash").build())) {
      WorkerDiedException died = dies(items);

      assertEquals(1, died.facts().get("exit")); // such a JVM does not abort
      assertTrue(died.facts().get("lastLines").toString().contains("SIGSEGV"), died.getMessage());
      assertReport(died);
    }
  }

  // R41
  @Test
  void aHaltedOneIsNamedWithItsStatusAndItsLastFiftyLines() {
    WorkerSource<Integer> source =
        _ ->
            Workers.counting(
                10,
                i -> {
                  if (i == 2) {
                    for (int line = 1; line <= 60; line++) {
                      System.err.println("line<" + line + ">");
                    }
                    Runtime.getRuntime().halt(3);
                  }
                  return i;
                });
    try (SubprocessIterable<Integer> items = Subprocess.iterate(source, options().build())) {
      Iterator<Integer> iterator = items.iterator();
      assertEquals(0, iterator.next());
      assertEquals(1, iterator.next());
      WorkerDiedException died = assertThrows(WorkerDiedException.class, iterator::next);

      assertEquals(3, died.facts().get("exit"));
      assertFalse(died.facts().containsKey("signal"));
      String lines = died.facts().get("lastLines").toString();
      assertFalse(lines.contains("line<10>"), lines);
      for (int line = 11; line <= 60; line++) {
        assertTrue(lines.contains("line<" + line + ">"), lines);
      }
      Workers.verifyDead(items, iterator, died);
    }
  }

  // R41
  @Test
  void oneThatRanOutOfHeapSaysSo() {
    SubprocessOptions options = options().jvmArgs("-Xmx32m", "-XX:+ExitOnOutOfMemoryError").build();
    try (SubprocessIterable<Object> items =
        Subprocess.iterate(_ -> Workers.counting(1, _ -> useUpTheHeap()), options)) {
      WorkerDiedException died = dies(items);

      assertEquals(OUT_OF_MEMORY, died.facts().get("exit"));
      assertTrue(died.getMessage().contains("OutOfMemoryError"), died.getMessage());
    }
  }

  // R41
  @Test
  void oneThatItsMemoryGroupKillsIsNamedWithAHintAtMemory() {
    try (MemoryGroup group = MemoryGroup.create(48L << 20)) {
      String members = group.members().toString();
      WorkerSource<Map<String, Object>> source =
          _ ->
              Workers.counting(
                  10,
                  i -> {
                    if (i == 2) {
                      useMoreThanTheGroupHas(members);
                    }
                    return Workers.stampedItem(i);
                  });
      try (SubprocessIterable<Map<String, Object>> items =
          Subprocess.iterate(source, options().arena(Workers.pool(4)).build())) {
        Iterator<Map<String, Object>> iterator = items.iterator();
        Workers.verify(0, iterator.next());
        Workers.verify(1, iterator.next());
        WorkerDiedException died = assertThrows(WorkerDiedException.class, iterator::next);

        assertEquals("SIGKILL", died.facts().get("signal"));
        assertTrue(died.getMessage().contains("ran out of memory"), died.getMessage());
        Workers.verifyDead(items, iterator, died);
      }
    }
  }

  // R41
  @Test
  void aClassThatIsMissingInTheWorkerIsNamed() throws Exception {
    String classPath =
        placeOf(Subprocess.class) + File.pathSeparator + placeOf(SharedMemoryArena.class);
    SubprocessOptions options = options().environment("CLASSPATH", classPath).build();

    WorkerFailedException failed =
        assertThrows(
            WorkerFailedException.class, () -> Subprocess.iterate(Workers.stamped(1), options));

    assertTrue(failed.getMessage().contains(getClass().getPackageName()), failed.getMessage());
    assertTrue(failed.getMessage().contains("ClassNotFoundException"), failed.getMessage());
  }

  /** A worker that is sent a signal while it is in user code, behind its first item. */
  private WorkerDiedException diesOf(int signal) {
    try (SubprocessIterable<Map<String, Object>> items =
        Subprocess.iterate(
            Busy.SLEEPS.at(1, 10, folder.toString()), options().arena(Workers.pool(4)).build())) {
      Iterator<Map<String, Object>> iterator = items.iterator();
      Workers.verify(0, iterator.next());
      PausePoints.in(folder).awaitReached(Busy.POINT);
      ChildJvm.signal(items.pid(), signal);
      WorkerDiedException died = assertThrows(WorkerDiedException.class, iterator::next);
      Workers.verifyDead(items, iterator, died);
      return died;
    }
  }

  private static WorkerDiedException dies(SubprocessIterable<?> items) {
    Iterator<?> iterator = items.iterator();
    WorkerDiedException died = assertThrows(WorkerDiedException.class, iterator::next);
    Workers.verifyDead(items, iterator, died);
    return died;
  }

  private void assertReport(WorkerDiedException died) {
    Path report = folder.resolve("hs_err_pid" + died.facts().get("pid") + ".log");
    assertEquals(report.toString(), died.facts().get("crashReport"));
    assertTrue(Files.exists(report));
  }

  private SubprocessOptions.Builder options() {
    return Workers.options().workingDirectory(folder);
  }

  @SuppressWarnings("restricted") // this is what user code should not do
  private static Object readBadAddress() {
    return MemorySegment.ofAddress(8).reinterpret(8).get(ValueLayout.JAVA_BYTE, 0);
  }

  private static void useMoreThanTheGroupHas(String members) {
    try {
      Files.writeString(Path.of(members), String.valueOf(ProcessHandle.current().pid()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    for (int mebibytes = 0; mebibytes < 512; mebibytes += 16) {
      Arena.global().allocate(16L << 20).fill((byte) 1);
    }
    throw new IllegalStateException("the group does not kill");
  }

  private static Object useUpTheHeap() {
    List<byte[]> all = new ArrayList<>();
    while (all.size() < Integer.MAX_VALUE) {
      all.add(new byte[1 << 20]);
    }
    return all;
  }

  private static String placeOf(Class<?> type) throws URISyntaxException, IOException {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI())
        .toRealPath()
        .toString();
  }
}
