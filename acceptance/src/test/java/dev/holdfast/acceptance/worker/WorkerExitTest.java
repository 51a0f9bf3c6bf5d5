package dev.holdfast.acceptance.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.WorkerDiedException;
import dev.holdfast.loader.WorkerSource;
import dev.holdfast.loader.WorkerTimeoutException;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.PausePoints;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** User code that ends its process, or keeps it from ending. */
@ExtendWith(Leftovers.class)
@Timeout(180)
final class WorkerExitTest {
  private static final int ITEMS = 10;
  private static final int EXIT_AT = 5;

  @TempDir private Path folder;

  /** Ten items, but the process exits in the middle. */
  private record Exiting(boolean inHasNext) implements Iterable<Map<String, Object>> {
    @Override
    public Iterator<Map<String, Object>> iterator() {
      return new Iterator<>() {
        private int next;

        @Override
        public boolean hasNext() {
          if (inHasNext && next == EXIT_AT) {
            System.exit(0);
          }
          return next < ITEMS;
        }

        @Override
        public Map<String, Object> next() {
          if (!inHasNext && next == EXIT_AT) {
            System.exit(0);
          }
          return Workers.stampedItem(next++);
        }
      };
    }
  }

  // R42
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anExitInNextIsADeathAndNeverTheEndOfTheData(boolean arena) {
    verifyExit(arena, false);
  }

  // R42
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anExitInHasNextIsADeathAndNeverTheEndOfTheData(boolean arena) {
    verifyExit(arena, true);
  }

  private static void verifyExit(boolean arena, boolean inHasNext) {
    try (SubprocessIterable<Map<String, Object>> items =
        Subprocess.iterate(_ -> new Exiting(inHasNext), Workers.options(arena, 16).build())) {
      Iterator<Map<String, Object>> iterator = items.iterator();
      for (int i = 0; i < EXIT_AT; i++) {
        Workers.verify(i, iterator.next());
      }
      assertTrue(iterator.hasNext());
      WorkerDiedException died = assertThrows(WorkerDiedException.class, iterator::next);
      assertEquals(0, died.facts().get("exit"));
      assertTrue(died.getMessage().contains("end-of-data mark"), died.getMessage());
      assertTrue(died.getMessage().contains("System.exit"), died.getMessage());
      Workers.verifyDead(items, iterator, died);
    }
  }

  // R42
  @Test
  void anExitThatHangsInAHookIsSilenceAndAClose() {
    WorkerSource<Integer> source =
        _ ->
            Workers.counting(
                ITEMS,
                i -> {
                  if (i == 1) {
                    blockExit();
                    System.exit(0);
                  }
                  return i;
                });
    SubprocessIterable<Integer> items =
        Subprocess.iterate(source, Workers.options().timeout(Duration.ofSeconds(1)).build());
    Iterator<Integer> iterator = items.iterator();
    assertEquals(0, iterator.next());
    WorkerTimeoutException silent = assertThrows(WorkerTimeoutException.class, iterator::next);
    assertEquals(items.pid(), silent.facts().get("pid"));
    Workers.close(items);
  }

  // R42
  @Test
  void aHookThatHangsDoesNotOutliveAClose() {
    WorkerSource<Integer> source =
        _ -> {
          blockExit();
          return Workers.counting(ITEMS, i -> i);
        };
    SubprocessIterable<Integer> items = Subprocess.iterate(source, Workers.options().build());
    assertEquals(0, items.iterator().next());
    Workers.close(items);
  }

  // R42
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aThreadOfUserCodeThatNeverEndsDoesNotOutliveAClose(boolean arena) {
    WorkerSource<Map<String, Object>> source =
        _ -> {
          Thread.ofPlatform().daemon(false).start(() -> Deadlines.pause(Workers.FOR_EVER));
          return Workers.counting(3, Workers::stampedItem);
        };
    SubprocessIterable<Map<String, Object>> items =
        Subprocess.iterate(source, Workers.options(arena, 4).build());
    int seen = 0;
    for (Map<String, Object> item : items) {
      Workers.verify(seen++, item);
    }
    assertEquals(3, seen);
    Workers.close(items);
  }

  // R42
  @ParameterizedTest
  @EnumSource(names = {"SLEEPS", "SPINS", "HOLDS_UP_SAFEPOINTS"})
  void userCodeThatNeverReturnsDoesNotOutliveAClose(Busy busy) {
    SubprocessIterable<Map<String, Object>> items =
        Subprocess.iterate(busy.at(1, ITEMS, folder.toString()), Workers.options(true, 4).build());
    Workers.verify(0, items.iterator().next());
    PausePoints.in(folder).awaitReached(Busy.POINT);
    Workers.close(items);
  }

  private static void blockExit() {
    Runtime.getRuntime().addShutdownHook(new Thread(() -> Deadlines.pause(Workers.FOR_EVER)));
  }
}
