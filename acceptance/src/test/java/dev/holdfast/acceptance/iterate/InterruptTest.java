package dev.holdfast.acceptance.iterate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.ArenaClosedException;
import dev.holdfast.arena.HoldfastInterruptedException;
import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.SubprocessOptions;
import dev.holdfast.loader.WorkerSource;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An interrupt at each place where a call waits. */
@ExtendWith(Leftovers.class)
@Timeout(300)
final class InterruptTest {
  @TempDir private Path folder;

  /** The second item comes when a file is there. */
  private WorkerSource<Integer> waiting() {
    String sign = folder.resolve("go").toString();
    return Feeds.counting(
        3,
        index -> {
          while (index == 1 && !Files.exists(Path.of(sign))) {
            Deadlines.pause(Duration.ofMillis(5));
          }
          return index;
        });
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whileTheWorkerStartsItUndoesTheStart(boolean atOnce) throws Exception {
    Path sign = folder.resolve("initializing");
    SharedMemoryArena arena = Feeds.pool(4, Feeds.LONG);
    String name = sign.toString();
    SubprocessOptions options =
        SubprocessOptions.builder()
            .arena(arena)
            .initializer(
                _ -> {
                  Files.createFile(Path.of(name));
                  Deadlines.pause(Feeds.LONG);
                })
            .build();
    List<Boolean> flag = new ArrayList<>();
    Thread[] starter = new Thread[1];
    CountDownLatch begun = new CountDownLatch(1);
    FutureTask<HoldfastInterruptedException> start =
        Deadlines.start(
            "starter",
            () -> {
              starter[0] = Thread.currentThread();
              if (atOnce) {
                starter[0].interrupt();
              }
              begun.countDown();
              HoldfastInterruptedException interrupted =
                  assertThrows(
                      HoldfastInterruptedException.class,
                      () -> Subprocess.iterate(waiting(), options));
              flag.add(Thread.currentThread().isInterrupted());
              return interrupted;
            });
    begun.await();
    if (!atOnce) {
      Deadlines.assertEventually("the initializer runs", () -> Files.exists(sign));
      starter[0].interrupt();
    }
    assertFalse(Deadlines.result(start).getMessage().isEmpty());
    assertEquals(List.of(true), flag, "the flag stays set");
    assertThrows(ArenaClosedException.class, arena::openReader);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aCloseByAnInterruptedThreadClosesAllTheSame(boolean withArena) {
    SubprocessIterable<Integer> items =
        Subprocess.iterate(waiting(), Feeds.options(withArena).build());
    assertEquals(0, items.iterator().next());
    Thread.currentThread().interrupt();
    items.close();
    assertTrue(Thread.interrupted(), "the flag stays set");
    assertFalse(ProcessHandle.of(items.pid()).isPresent());
  }

  @Test
  void aThreadThatWaitsForAnotherOnesNextIsInterruptedAlone() throws Exception {
    try (SubprocessIterable<Integer> items = Subprocess.iterate(waiting())) {
      Iterator<Integer> iterator = items.iterator();
      assertEquals(0, iterator.next());
      FutureTask<Integer> first = Deadlines.start("first", iterator::next);
      Thread[] second = new Thread[1];
      CountDownLatch begun = new CountDownLatch(1);
      FutureTask<HoldfastInterruptedException> waiter =
          Deadlines.start(
              "second",
              () -> {
                second[0] = Thread.currentThread();
                begun.countDown();
                return assertThrows(HoldfastInterruptedException.class, iterator::next);
              });
      begun.await();
      Deadlines.pause(Duration.ofMillis(100));
      second[0].interrupt();
      assertFalse(Deadlines.result(waiter).getMessage().isEmpty());
      assertFalse(first.isDone());
      Files.createFile(folder.resolve("go"));
      assertEquals(1, Deadlines.result(first));
      assertEquals(2, iterator.next());
      assertFalse(iterator.hasNext());
    }
  }

  @Test
  void aVirtualThreadIsInterruptedToo() throws Exception {
    try (SubprocessIterable<Integer> items = Subprocess.iterate(waiting())) {
      Iterator<Integer> iterator = items.iterator();
      assertEquals(0, iterator.next());
      FutureTask<HoldfastInterruptedException> task =
          new FutureTask<>(() -> assertThrows(HoldfastInterruptedException.class, iterator::next));
      Thread virtual = Thread.ofVirtual().start(task);
      Deadlines.pause(Duration.ofMillis(100));
      virtual.interrupt();
      assertFalse(Deadlines.result(task).getMessage().isEmpty());
      Files.createFile(folder.resolve("go"));
      assertEquals(1, iterator.next());
    }
  }

  @Test
  void aNewPassOfAnInterruptedThreadIsWholeOnceTheFlagIsGone() {
    try (SubprocessIterable<Integer> items = Subprocess.iterate(waiting())) {
      assertEquals(0, items.iterator().next());
      Thread.currentThread().interrupt();
      Iterator<Integer> newer = items.iterator();
      assertThrows(HoldfastInterruptedException.class, newer::hasNext);
      assertTrue(Thread.interrupted());
      assertTrue(folder.resolve("go").toFile().mkdir());
      assertEquals(List.of(0, 1, 2), remaining(newer));
    }
  }

  private static List<Integer> remaining(Iterator<Integer> iterator) {
    List<Integer> rest = new ArrayList<>();
    iterator.forEachRemaining(rest::add);
    return rest;
  }
}
