package dev.holdfast.loader;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.ArenaClosedException;
import dev.holdfast.arena.HoldfastInterruptedException;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** One worker without an arena. */
@ExtendWith(Leftovers.class)
class SubprocessTest {

  private static <T> List<T> all(Iterable<T> items) {
    List<T> list = new ArrayList<>();
    items.forEach(list::add);
    return list;
  }

  // B129, B135
  @Test
  void everyPassIsAFullPassOfTheSameProcess() {
    try (SubprocessIterable<Integer> items =
        Subprocess.iterate(WorkerSource.of(List.of(3, 1, 2)))) {
      for (int pass = 0; pass < 5; pass++) {
        assertEquals(List.of(3, 1, 2), all(items));
      }
      assertEquals(5, items.stats().passes());
      assertEquals(15, items.stats().items());
    }
  }

  @Test
  void aSupplierIsCalledInTheWorker() {
    long own = ProcessHandle.current().pid();
    try (SubprocessIterable<Long> items =
        Sources.iterate(WorkerSource.supplied(() -> List.of(ProcessHandle.current().pid(), own)))) {
      assertEquals(List.of(items.pid(), own), all(items));
    }
  }

  // R66
  @Test
  void emptyPassesNullsAndTheEndAreToldApart() {
    try (SubprocessIterable<String> items =
        Sources.iterate(WorkerSource.of(Arrays.asList(null, "a", null)))) {
      Iterator<String> pass = items.iterator();
      for (int i = 0; i < 10; i++) {
        assertTrue(pass.hasNext());
      }
      assertNull(pass.next());
      assertEquals("a", pass.next());
      assertNull(pass.next());
      assertFalse(pass.hasNext());
      assertThrows(NoSuchElementException.class, pass::next);
      assertThrows(NoSuchElementException.class, pass::next);
    }
    try (SubprocessIterable<Object> none = Sources.iterate(WorkerSource.of(List.of()))) {
      assertFalse(none.iterator().hasNext());
      assertFalse(none.iterator().hasNext());
    }
  }

  // R62
  @Test
  void aNewerIteratorSupersedesTheOlderOne() {
    try (SubprocessIterable<Integer> items = Sources.iterate(Sources.numbers(10))) {
      Iterator<Integer> older = items.iterator();
      for (int i = 0; i < 3; i++) {
        assertEquals(i, older.next());
      }
      assertTrue(older.hasNext());
      Iterator<Integer> newer = items.iterator();
      assertThrows(IllegalStateException.class, older::next);
      assertTrue(older.hasNext());
      for (int i = 0; i < 10; i++) {
        assertEquals(i, newer.next());
      }
      assertThrows(IllegalStateException.class, older::next);
      assertFalse(newer.hasNext());
    }
  }

  // B136
  @Test
  void leavingEarlyWorksAnyNumberOfTimes() {
    try (SubprocessIterable<Integer> items = Sources.iterate(Sources.numbers(1000))) {
      for (int pass = 0; pass < 100; pass++) {
        int expected = 0;
        for (int item : items) {
          assertEquals(expected++, item);
          if (expected > pass % 7) {
            break;
          }
        }
      }
      assertEquals(1000, all(items).size());
    }
  }

  @Test
  void aLongRecordCrossesInPieces() {
    try (SubprocessIterable<byte[]> items =
        Subprocess.iterate(
            _ -> Sources.counting(5, i -> new byte[100_000 * i]),
            Sources.options().channelBytes(4096).build())) {
      int expected = 0;
      for (byte[] item : items) {
        assertEquals(100_000 * expected++, item.length);
      }
      assertEquals(5, expected);
    }
  }

  // R66
  @Test
  void anErrorOfTheSourceComesAfterAllEarlierItems() {
    WorkerSource<Integer> source =
        _ ->
            Sources.counting(
                10,
                i -> {
                  if (i == 5) {
                    throw new UnsupportedOperationException("no five");
                  }
                  return i;
                });
    try (SubprocessIterable<Integer> items = Sources.iterate(source)) {
      for (int pass = 0; pass < 3; pass++) {
        Iterator<Integer> iterator = items.iterator();
        for (int i = 0; i < 5; i++) {
          assertEquals(i, iterator.next());
        }
        assertTrue(iterator.hasNext());
        WorkerFailedException failed = assertThrows(WorkerFailedException.class, iterator::next);
        assertEquals("java.lang.UnsupportedOperationException", failed.facts().get("remoteClass"));
        assertEquals("no five", failed.facts().get("remoteMessage"));
        assertEquals(5L, failed.facts().get("index"));
        assertTrue(failed.remote().orElseThrow().stackTrace().contains("Sources"));
        assertFalse(iterator.hasNext());
        assertThrows(NoSuchElementException.class, iterator::next);
      }
    }
  }

  // R68
  @Test
  void anItemThatCannotCrossIsAnErrorInItsPlace() {
    WorkerSource<Object> source =
        _ -> Sources.counting(3, i -> i == 1 ? List.of("x", new Thread("no")) : i);
    try (SubprocessIterable<Object> items = Sources.iterate(source)) {
      Iterator<Object> iterator = items.iterator();
      assertEquals(0, iterator.next());
      WorkerFailedException failed = assertThrows(WorkerFailedException.class, iterator::next);
      assertEquals("java.io.NotSerializableException", failed.facts().get("remoteClass"));
      assertEquals(1L, failed.facts().get("index"));
      assertTrue(failed.getMessage().contains("[1]"), failed.getMessage());
      assertEquals(2, iterator.next());
      assertFalse(iterator.hasNext());
    }
  }

  // R69
  @Test
  void aSourceThatCannotCrossFailsBeforeAProcessIsStarted() {
    Object held = new Object();
    WorkerSource<Object> source = _ -> List.of(held);
    IllegalArgumentException failure =
        assertThrows(IllegalArgumentException.class, () -> Sources.iterate(source));
    assertTrue(failure.getMessage().contains("java.lang.Object"), failure.getMessage());
    assertTrue(failure.getMessage().contains("source"), failure.getMessage());
  }

  @Test
  void initializersRunInOrderBeforeTheSourceIsOpened() {
    SubprocessOptions options =
        Sources.options()
            .seed(7)
            .initializer(_ -> System.setProperty("holdfast.test.order", "1"))
            .initializer(
                _ ->
                    System.setProperty(
                        "holdfast.test.order", System.getProperty("holdfast.test.order") + "2"))
            .build();
    WorkerSource<String> source =
        context ->
            List.of(
                System.getProperty("holdfast.test.order"),
                context.index() + " of " + context.count(),
                String.valueOf(context.seed()));
    try (SubprocessIterable<String> items = Subprocess.iterate(source, options)) {
      List<String> seen = all(items);
      assertEquals("12", seen.get(0));
      assertEquals("0 of 1", seen.get(1));
      try (SubprocessIterable<String> again = Subprocess.iterate(source, options)) {
        assertEquals(seen, all(again));
      }
    }
  }

  // B122
  @Test
  void anInitializerThatFailsFailsTheCall() {
    SubprocessOptions options =
        Sources.options()
            .initializer(
                _ -> {
                  throw new java.io.IOException("no licence");
                })
            .build();
    WorkerFailedException failed =
        assertThrows(
            WorkerFailedException.class, () -> Subprocess.iterate(Sources.numbers(1), options));
    assertEquals("java.io.IOException", failed.facts().get("remoteClass"));
    assertTrue(failed.getMessage().startsWith("an initializer failed"), failed.getMessage());
  }

  // R96
  @Test
  void silenceIsReportedAndTheItemComesLater() {
    WorkerSource<Integer> source =
        _ ->
            Sources.counting(
                3,
                i -> {
                  if (i == 1) {
                    Deadlines.pause(Duration.ofSeconds(3));
                  }
                  return i;
                });
    SubprocessOptions options = Sources.options().timeout(Duration.ofMillis(500)).build();
    try (SubprocessIterable<Integer> items = Subprocess.iterate(source, options)) {
      Iterator<Integer> iterator = items.iterator();
      assertEquals(0, iterator.next());
      WorkerTimeoutException silent = assertThrows(WorkerTimeoutException.class, iterator::next);
      assertEquals(items.pid(), silent.facts().get("pid"));
      Integer next = null;
      while (next == null) {
        try {
          next = iterator.next();
        } catch (WorkerTimeoutException e) {
          assertTrue(iterator.hasNext());
        }
      }
      assertEquals(1, next);
      assertEquals(2, iterator.next());
    }
  }

  @Test
  void anInterruptLosesNothing() {
    WorkerSource<Integer> source =
        _ ->
            Sources.counting(
                2,
                i -> {
                  Deadlines.pause(Duration.ofMillis(300));
                  return i;
                });
    try (SubprocessIterable<Integer> items = Sources.iterate(source)) {
      Iterator<Integer> iterator = items.iterator();
      Thread.currentThread().interrupt();
      assertThrows(HoldfastInterruptedException.class, iterator::next);
      assertTrue(Thread.interrupted());
      assertEquals(0, iterator.next());
      assertEquals(1, iterator.next());
      assertFalse(iterator.hasNext());
    }
  }

  // R53
  @Test
  void aCloseFromAnotherThreadEndsTheWait() throws Exception {
    WorkerSource<Integer> source =
        _ ->
            Sources.counting(
                1,
                i -> {
                  Deadlines.pause(Duration.ofHours(1));
                  return i;
                });
    SubprocessIterable<Integer> items = Sources.iterate(source);
    Iterator<Integer> iterator = items.iterator();
    FutureTask<Throwable> waiter =
        Deadlines.start("waiter", () -> assertThrows(ArenaClosedException.class, iterator::next));
    Deadlines.pause(Duration.ofMillis(200));
    items.close();
    var _ = Deadlines.result(waiter);
    assertThrows(ArenaClosedException.class, iterator::next);
    assertThrows(ArenaClosedException.class, items::iterator);
    assertFalse(ProcessHandle.of(items.pid()).isPresent());
    items.close();
  }

  // R33, R41
  @Test
  void aKilledWorkerIsReportedAfterItsItemsAndOnEveryCall() {
    try (SubprocessIterable<Integer> items =
        Subprocess.iterate(Sources.numbers(1_000_000), Sources.options().bufferSize(5).build())) {
      Iterator<Integer> iterator = items.iterator();
      assertEquals(0, iterator.next());
      Deadlines.pause(Duration.ofMillis(200));
      assertTrue(ProcessHandle.of(items.pid()).orElseThrow().destroyForcibly());
      Deadlines.pause(Duration.ofMillis(200));
      for (int i = 1; i <= 5; i++) {
        assertEquals(i, iterator.next());
      }
      assertTrue(iterator.hasNext());
      WorkerDiedException died = assertThrows(WorkerDiedException.class, iterator::next);
      assertEquals("SIGKILL", died.facts().get("signal"));
      assertEquals(137, died.facts().get("exit"));
      assertTrue(iterator.hasNext());
      assertSame(died, assertThrows(WorkerDiedException.class, iterator::next));
      assertThrows(WorkerDiedException.class, () -> items.iterator().next());
    }
  }

  // R42
  @Test
  void anExitInTheMiddleOfDataIsADeath() {
    WorkerSource<Integer> source =
        _ ->
            Sources.counting(
                10,
                i -> {
                  if (i == 5) {
                    System.err.println("leaving early");
                    System.exit(0);
                  }
                  return i;
                });
    SubprocessOptions options = Sources.options().standardError(WorkerOutput.discard()).build();
    try (SubprocessIterable<Integer> items = Subprocess.iterate(source, options)) {
      Iterator<Integer> iterator = items.iterator();
      for (int i = 0; i < 5; i++) {
        assertEquals(i, iterator.next());
      }
      WorkerDiedException died = assertThrows(WorkerDiedException.class, iterator::next);
      assertEquals(0, died.facts().get("exit"));
      assertEquals("leaving early", died.facts().get("lastLines"));
    }
  }

  // R59
  @Test
  void aWorkerThatCannotStartIsReportedWithItsWords() {
    SubprocessOptions options =
        Sources.options()
            .jvmArgs("-XX:NoSuchOption")
            .standardOutput(WorkerOutput.discard())
            .standardError(WorkerOutput.discard())
            .build();
    WorkerDiedException died =
        assertThrows(
            WorkerDiedException.class, () -> Subprocess.iterate(Sources.numbers(1), options));
    assertEquals(1, died.facts().get("exit"));
    assertTrue(died.getMessage().contains("NoSuchOption"), died.getMessage());
  }

  // R37
  @Test
  void standardInputOfTheWorkerIsAtItsEnd() {
    try (SubprocessIterable<Integer> items =
        Sources.iterate(_ -> List.of(System.in.read(), System.in.read()))) {
      assertEquals(List.of(-1, -1), all(items));
    }
  }
}
