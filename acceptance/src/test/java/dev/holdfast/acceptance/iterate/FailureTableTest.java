package dev.holdfast.acceptance.iterate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.AcquireTimeoutException;
import dev.holdfast.arena.ArenaClosedException;
import dev.holdfast.arena.ArenaCorruptedException;
import dev.holdfast.arena.HoldfastFailure;
import dev.holdfast.arena.HoldfastInterruptedException;
import dev.holdfast.loader.Lease;
import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.SubprocessOptions;
import dev.holdfast.loader.WorkerDiedException;
import dev.holdfast.loader.WorkerFailedException;
import dev.holdfast.loader.WorkerSource;
import dev.holdfast.loader.WorkerTimeoutException;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What can happen to a worker: the error with its facts, what the next calls give, and whether the
 * worker is there afterwards; with a pool and without one.
 */
@ExtendWith(Leftovers.class)
@Timeout(300)
final class FailureTableTest {
  @TempDir private Path folder;

  private static boolean isAlive(SubprocessIterable<?> items) {
    return ProcessHandle.of(items.pid()).isPresent();
  }

  private static void assertAdvised(RuntimeException failure) {
    HoldfastFailure ours = assertInstanceOf(HoldfastFailure.class, failure);
    assertFalse(ours.facts().isEmpty(), failure::toString);
    assertTrue(
        ours.facts().entrySet().stream()
            .allMatch(fact -> failure.getMessage().contains(fact.getKey() + "=" + fact.getValue())),
        failure::toString);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void itemThatCannotBeOffloadedIsFollowedByTheNextOne(boolean withArena) {
    WorkerSource<Object> source =
        Feeds.counting(3, index -> index == 1 ? List.of(new byte[5000], new Thread("x")) : index);
    try (SubprocessIterable<Object> items =
        Subprocess.iterate(source, Feeds.options(withArena).build())) {
      for (int pass = 0; pass < 2; pass++) {
        Iterator<Object> iterator = items.iterator();
        assertEquals(0, iterator.next());
        assertTrue(iterator.hasNext());
        WorkerFailedException failed = assertThrows(WorkerFailedException.class, iterator::next);
        assertEquals(1L, failed.facts().get("index"));
        assertTrue(failed.getMessage().contains("path=item[1]"), failed::toString);
        assertAdvised(failed);
        assertEquals(2, iterator.next());
        assertFalse(iterator.hasNext());
        assertTrue(isAlive(items));
      }
    }
  }

  @Test
  void missingSpaceNamesTheHoldersAndTheSameItemComesWhenThereIsRoom() {
    SubprocessOptions options =
        Feeds.options(false).arena(Feeds.pool(4, Duration.ofMillis(300))).build();
    try (SubprocessIterable<Map<String, Object>> items =
        Subprocess.iterate(Feeds.stamped(8), options)) {
      Iterator<Lease<Map<String, Object>>> leases = items.leases().iterator();
      List<Lease<Map<String, Object>>> held =
          List.of(leases.next(), leases.next(), leases.next(), leases.next());
      assertTrue(leases.hasNext());
      AcquireTimeoutException full = assertThrows(AcquireTimeoutException.class, leases::next);
      assertAdvised(full);
      assertEquals(4L, full.facts().get("index"));
      assertEquals(4L, full.facts().get("held"));
      assertEquals(4L, full.facts().get("segments"));
      assertEquals(4L, full.facts().get("heldByConsumer"));
      assertEquals("[4 confined lease]", full.facts().get("holders"));
      assertEquals(0L, full.facts().get("oldestUnit"));
      assertTrue(full.facts().get("oldestHolder").toString().contains("confined lease"));
      assertTrue((Long) full.facts().get("oldestAgeMillis") >= 300, full::toString);
      assertTrue(full.advice().contains("count"), full::advice);
      assertThrows(AcquireTimeoutException.class, leases::next);
      assertTrue(isAlive(items));
      held.forEach(Lease::close);
      for (int unit = 4; unit < 8; unit++) {
        try (Lease<Map<String, Object>> lease = leases.next()) {
          Feeds.verify(lease.item(), 0, unit);
        }
      }
      assertFalse(leases.hasNext());
    }
  }

  private WorkerSource<Integer> waiting(String file) {
    return Feeds.counting(
        3,
        index -> {
          while (index == 1 && !Files.exists(Path.of(file))) {
            Deadlines.pause(Duration.ofMillis(5));
          }
          return index;
        });
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void silenceIsReportedAgainAndAgainAndTheItemComesAtLast(boolean withArena) throws Exception {
    Path sign = folder.resolve("go");
    try (SubprocessIterable<Integer> items =
        Subprocess.iterate(
            waiting(sign.toString()),
            Feeds.options(withArena).timeout(Duration.ofSeconds(1)).build())) {
      Iterator<Integer> iterator = items.iterator();
      assertEquals(0, iterator.next());
      for (int i = 0; i < 2; i++) {
        long start = System.nanoTime();
        assertTrue(iterator.hasNext());
        WorkerTimeoutException silent = assertThrows(WorkerTimeoutException.class, iterator::next);
        long millis = (System.nanoTime() - start) / 1_000_000;
        assertTrue(millis >= 1_000 && millis < 10_000, () -> millis + " ms");
        assertAdvised(silent);
        assertEquals(items.pid(), silent.facts().get("pid"));
        assertTrue(List.of("sleeping", "running").contains(silent.facts().get("state")));
        assertTrue(isAlive(items));
      }
      Files.createFile(sign);
      assertEquals(1, iterator.next());
      assertEquals(2, iterator.next());
      assertFalse(iterator.hasNext());
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void errorOfTheSourceEndsItsPassAndTheNextOneIsWhole(boolean withArena) {
    WorkerSource<Integer> source =
        Feeds.passes(
            _ -> 3,
            (pass, index) -> {
              if (pass == 0 && index == 2) {
                throw new IllegalStateException("no third one");
              }
              return index;
            });
    try (SubprocessIterable<Integer> items =
        Subprocess.iterate(source, Feeds.options(withArena).build())) {
      Iterator<Integer> iterator = items.iterator();
      assertEquals(0, iterator.next());
      assertEquals(1, iterator.next());
      WorkerFailedException failed = assertThrows(WorkerFailedException.class, iterator::next);
      assertAdvised(failed);
      assertThrows(NoSuchElementException.class, iterator::next);
      assertTrue(isAlive(items));
      assertEquals(List.of(0, 1, 2), Feeds.all(items));
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void deathOfTheWorkerIsReportedOnEveryCallAndByNewIterators(boolean withArena) {
    WorkerSource<Integer> source =
        Feeds.counting(
            9,
            index -> {
              if (index == 3) {
                System.err.println("about to go");
                Runtime.getRuntime().halt(7);
              }
              return index;
            });
    try (SubprocessIterable<Integer> items =
        Subprocess.iterate(source, Feeds.options(withArena).build())) {
      Iterator<Integer> iterator = items.iterator();
      for (int index = 0; index < 3; index++) {
        assertEquals(index, iterator.next());
      }
      for (int i = 0; i < 3; i++) {
        assertTrue(iterator.hasNext());
        WorkerDiedException died = assertThrows(WorkerDiedException.class, iterator::next);
        assertAdvised(died);
        assertEquals(items.pid(), died.facts().get("pid"));
        assertEquals(7, died.facts().get("exit"));
        assertEquals("about to go", died.facts().get("lastLines"));
      }
      Iterator<Integer> newer = items.iterator();
      assertTrue(newer.hasNext());
      assertThrows(WorkerDiedException.class, newer::next);
      assertFalse(isAlive(items));
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void initializerThatFailsFailsTheCallAndLeavesNoProcess(boolean withArena) {
    SubprocessOptions options =
        Feeds.options(withArena)
            .initializer(
                _ -> {
                  throw new IllegalStateException("licence has expired");
                })
            .build();
    WorkerSource<Integer> source = Feeds.counting(1, index -> index);
    WorkerFailedException failed =
        assertThrows(WorkerFailedException.class, () -> Subprocess.iterate(source, options));
    assertAdvised(failed);
    assertEquals("licence has expired", failed.facts().get("remoteMessage"));
    options.arena().ifPresent(arena -> assertThrows(ArenaClosedException.class, arena::openWriter));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void interruptLosesNothing(boolean withArena) throws Exception {
    Path sign = folder.resolve("go");
    try (SubprocessIterable<Integer> items =
        Subprocess.iterate(waiting(sign.toString()), Feeds.options(withArena).build())) {
      Iterator<Integer> iterator = items.iterator();
      assertEquals(0, iterator.next());
      for (int i = 0; i < 3; i++) {
        Thread.currentThread().interrupt();
        HoldfastInterruptedException interrupted =
            assertThrows(HoldfastInterruptedException.class, iterator::next);
        assertTrue(Thread.interrupted(), interrupted::toString);
        Thread.currentThread().interrupt();
        assertThrows(HoldfastInterruptedException.class, iterator::hasNext);
        assertTrue(Thread.interrupted());
        assertThrows(HoldfastInterruptedException.class, () -> interruptedIn(iterator::next));
        assertThrows(HoldfastInterruptedException.class, () -> interruptedIn(iterator::hasNext));
      }
      assertTrue(isAlive(items));
      Files.createFile(sign);
      assertEquals(1, iterator.next());
      assertEquals(2, iterator.next());
      assertFalse(iterator.hasNext());
    }
  }

  /** Calls on a thread of its own, which is interrupted while it waits for the worker. */
  private static <T> T interruptedIn(Callable<T> call) throws Exception {
    FutureTask<T> task = new FutureTask<>(call);
    Thread thread = Thread.ofPlatform().daemon().start(task);
    Deadlines.pause(Duration.ofMillis(100));
    thread.interrupt();
    return Deadlines.result(task);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void closeByAnotherThreadIsNeverAQuietEnd(boolean withArena) throws Exception {
    Path sign = folder.resolve("never");
    try (SubprocessIterable<Integer> items =
        Subprocess.iterate(waiting(sign.toString()), Feeds.options(withArena).build())) {
      Iterator<Integer> iterator = items.iterator();
      assertEquals(0, iterator.next());
      FutureTask<Integer> waiting = Deadlines.start("consumer", iterator::next);
      Deadlines.pause(Duration.ofMillis(200));
      Feeds.close(items);
      ArenaClosedException closed =
          assertThrows(ArenaClosedException.class, () -> Deadlines.result(waiting));
      assertTrue(closed.getMessage().contains("closed"), closed::toString);
      assertTrue(iterator.hasNext());
      assertThrows(ArenaClosedException.class, iterator::next);
      assertThrows(ArenaClosedException.class, items::iterator);
      assertFalse(isAlive(items));
    }
  }

  @Test
  void closeWhileNobodyWaitsIsToldToTheNextCallEvenAtTheEnd() {
    SubprocessIterable<Integer> items = Subprocess.iterate(Feeds.counting(2, index -> index));
    Iterator<Integer> iterator = items.iterator();
    assertEquals(0, iterator.next());
    assertTrue(iterator.hasNext());
    items.close();
    assertThrows(ArenaClosedException.class, iterator::next);
    items.close();
  }

  /** What the worker sent last is in the memory of both; this process damages its own view. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void nonsenseInTheChannelIsCorruptionOnEveryCall(boolean withArena) {
    Path sign = folder.resolve("go");
    try (SubprocessIterable<Integer> items =
        Subprocess.iterate(waiting(sign.toString()), Feeds.options(withArena).build())) {
      Iterator<Integer> iterator = items.iterator();
      assertEquals(0, iterator.next());
      SharedDamage.ofChannel().writeLong(SharedDamage.CHANNEL_ITEMS_PUBLISHED, 3);
      for (int i = 0; i < 3; i++) {
        assertTrue(iterator.hasNext());
        ArenaCorruptedException corrupted =
            assertThrows(ArenaCorruptedException.class, iterator::next);
        assertAdvised(corrupted);
      }
      Iterator<Integer> newer = items.iterator();
      assertThrows(ArenaCorruptedException.class, newer::next);
      ChildJvm.signal(items.pid(), ChildJvm.SIGKILL);
      assertThrows(ArenaCorruptedException.class, newer::next);
    }
  }
}
