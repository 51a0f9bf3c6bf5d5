package dev.holdfast.acceptance.iterate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.HoldfastFailure;
import dev.holdfast.loader.Lease;
import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.SubprocessOptions;
import dev.holdfast.loader.WorkerSource;
import dev.holdfast.loader.WorkerTimeoutException;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Rounds;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.concurrent.FutureTask;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Several iterators of one iterable, and several threads on one iterator. R62 */
@ExtendWith(Leftovers.class)
@Timeout(1800)
final class OverlappingIteratorsTest {

  private static SubprocessIterable<Map<String, Object>> start(int units, boolean withArena) {
    return Subprocess.iterate(Feeds.stamped(units), Feeds.options(withArena).build());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void newerIteratorIsAWholePassAndTheOlderOneSaysThatItIsSuperseded(boolean withArena) {
    try (SubprocessIterable<Map<String, Object>> items = start(10, withArena)) {
      int rounds = Rounds.of(100);
      for (int round = 0; round < rounds; round++) {
        Iterator<Lease<Map<String, Object>>> older = items.leases().iterator();
        List<Lease<Map<String, Object>>> held = new ArrayList<>();
        for (int unit = 0; unit < 3; unit++) {
          held.add(older.next());
        }
        assertTrue(older.hasNext());
        Iterator<Map<String, Object>> newer = items.iterator();
        assertSuperseded(assertThrows(IllegalStateException.class, older::next));
        Feeds.verify(newer.next(), 2 * round + 1, 0);
        for (int unit = 0; unit < 3; unit++) {
          Feeds.verify(held.get(unit).item(), 2 * round, unit);
          held.get(unit).close();
        }
        for (int unit = 1; unit < 10; unit++) {
          Feeds.verify(newer.next(), 2 * round + 1, unit);
        }
        assertFalse(newer.hasNext());
        assertSuperseded(assertThrows(IllegalStateException.class, older::next));
        assertThrows(NoSuchElementException.class, newer::next);
      }
    }
  }

  private static void assertSuperseded(IllegalStateException failure) {
    assertFalse(failure instanceof HoldfastFailure, failure::toString);
    assertTrue(failure.getMessage().contains("superseded"), failure::toString);
  }

  @Test
  void iteratorsThatWereNeverAskedCostTheWorkerNothing() {
    try (SubprocessIterable<Map<String, Object>> items = start(3, true)) {
      List<Iterator<Map<String, Object>>> unused =
          IntStream.range(0, 100).mapToObj(_ -> items.iterator()).toList();
      int unit = 0;
      for (Map<String, Object> item : items) {
        Feeds.verify(item, 0, unit++);
      }
      assertEquals(3, unit);
      unused.forEach(iterator -> assertThrows(IllegalStateException.class, iterator::next));
    }
  }

  /** A unit that was admitted and belongs to nobody would stop the writer after a few passes. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void itemThatWasLookedAtAndNotTakenGivesItsUnitBack(boolean asksTheOlderOneAgain) {
    SubprocessOptions options =
        Feeds.options(false).arena(Feeds.pool(3, Duration.ofSeconds(5))).build();
    try (SubprocessIterable<Map<String, Object>> items =
        Subprocess.iterate(Feeds.stamped(5), options)) {
      for (int pass = 0; pass < 12; pass++) {
        Iterator<Lease<Map<String, Object>>> looked = items.leases().iterator();
        try (Lease<Map<String, Object>> first = looked.next()) {
          Feeds.verify(first.item(), pass, 0);
        }
        assertTrue(looked.hasNext());
        Iterator<Lease<Map<String, Object>>> newer = items.leases().iterator();
        if (asksTheOlderOneAgain) {
          assertTrue(looked.hasNext());
          assertSuperseded(assertThrows(IllegalStateException.class, looked::next));
        }
        assertEquals(0, items.arena().orElseThrow().stats().held(), newer::toString);
      }
    }
  }

  /** More commands than the channel to the worker takes. */
  @Test
  void passesThatAWorkerDoesNotHearOfAreSilenceAndComeLater(@TempDir Path folder) throws Exception {
    String sign = folder.resolve("go").toString();
    WorkerSource<Integer> source =
        Feeds.passes(
            _ -> 3,
            (_, index) -> {
              while (!Files.exists(Path.of(sign))) {
                Deadlines.pause(Duration.ofMillis(5));
              }
              return index;
            });
    try (SubprocessIterable<Integer> items =
        Subprocess.iterate(source, Feeds.options(true).timeout(Duration.ofMillis(1)).build())) {
      String silence = "";
      for (int pass = 0; pass < 10_000 && !silence.contains("takes no commands"); pass++) {
        silence = assertThrows(WorkerTimeoutException.class, items.iterator()::next).getMessage();
      }
      assertTrue(silence.contains("takes no commands"), silence);
      Iterator<Integer> newest = items.iterator();
      Files.createFile(Path.of(sign));
      for (int index = 0; index < 3; index++) {
        assertEquals(index, patiently(newest));
      }
      assertTrue(items.stats().passes() > 500, items.stats()::toString);
    }
  }

  private static Integer patiently(Iterator<Integer> iterator) {
    while (true) {
      try {
        return iterator.next();
      } catch (WorkerTimeoutException e) {
        assertTrue(iterator.hasNext());
      }
    }
  }

  @Test
  void threadThatWaitsInASupersededIteratorIsWokenAtOnce() throws Exception {
    try (SubprocessIterable<Integer> items =
        Subprocess.iterate(
            Feeds.passes(
                _ -> 2,
                (pass, index) -> {
                  if (pass == 0 && index == 1) {
                    Deadlines.pause(Duration.ofSeconds(3));
                  }
                  return 10 * pass + index;
                }))) {
      Iterator<Integer> older = items.iterator();
      assertEquals(0, older.next());
      FutureTask<Integer> waiting = Deadlines.start("older", older::next);
      Deadlines.pause(Duration.ofMillis(200));
      assertFalse(waiting.isDone());
      long start = System.nanoTime();
      Iterator<Integer> newer = items.iterator();
      IllegalStateException superseded =
          assertThrows(IllegalStateException.class, () -> Deadlines.result(waiting));
      assertTrue(System.nanoTime() - start < 2_000_000_000L, "the older thread waited on");
      assertSuperseded(superseded);
      assertEquals(10, newer.next());
      assertEquals(11, newer.next());
      assertFalse(newer.hasNext());
    }
  }

  @Test
  void twoThreadsWithIteratorsOfTheirOwnGetWholeItemsOrAClearError() throws Exception {
    try (SubprocessIterable<Map<String, Object>> items = start(50, true)) {
      List<FutureTask<Integer>> threads = new ArrayList<>();
      int rounds = Rounds.of(200);
      for (int thread = 0; thread < 2; thread++) {
        threads.add(Deadlines.start("passes-" + thread, () -> wholePasses(items, rounds)));
      }
      for (FutureTask<Integer> thread : threads) {
        assertTrue(Deadlines.result(thread) >= 0);
      }
      int unit = 0;
      for (Lease<Map<String, Object>> lease : items.leases()) {
        try (lease) {
          Feeds.verify(lease.item(), (Integer) lease.item().get("pass"), unit++);
        }
      }
      assertEquals(50, unit);
    }
  }

  private static int wholePasses(SubprocessIterable<Map<String, Object>> items, int rounds) {
    int whole = 0;
    for (int round = 0; round < rounds; round++) {
      Iterator<Lease<Map<String, Object>>> leases = items.leases().iterator();
      try {
        int unit = 0;
        int pass = -1;
        while (leases.hasNext()) {
          try (Lease<Map<String, Object>> lease = leases.next()) {
            pass = pass < 0 ? (Integer) lease.item().get("pass") : pass;
            Feeds.verify(lease.item(), pass, unit++);
          }
        }
        assertEquals(50, unit);
        whole++;
      } catch (IllegalStateException e) {
        assertSuperseded(e);
      }
    }
    return whole;
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void eachItemGoesToExactlyOneOfTheThreadsOnOneIterator(boolean withArena) throws Exception {
    int units = 2_000;
    try (SubprocessIterable<Map<String, Object>> items = start(units, withArena)) {
      Iterator<Lease<Map<String, Object>>> shared = items.leases().iterator();
      List<FutureTask<List<Integer>>> threads = new ArrayList<>();
      for (int thread = 0; thread < 2; thread++) {
        threads.add(Deadlines.start("shared-" + thread, () -> takeAll(shared)));
      }
      List<Integer> taken = new ArrayList<>();
      for (FutureTask<List<Integer>> thread : threads) {
        List<Integer> part = Deadlines.result(thread);
        assertEquals(part.stream().sorted().toList(), part);
        taken.addAll(part);
      }
      assertEquals(IntStream.range(0, units).boxed().toList(), taken.stream().sorted().toList());
    }
  }

  private static List<Integer> takeAll(Iterator<Lease<Map<String, Object>>> shared) {
    List<Integer> taken = new ArrayList<>();
    while (true) {
      try (Lease<Map<String, Object>> lease = shared.next()) {
        int unit = assertInstanceOf(Integer.class, lease.item().get("unit"));
        Feeds.verify(lease.item(), 0, unit);
        taken.add(unit);
      } catch (NoSuchElementException e) {
        return taken;
      }
    }
  }
}
