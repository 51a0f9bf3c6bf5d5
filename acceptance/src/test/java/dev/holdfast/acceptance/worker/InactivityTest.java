package dev.holdfast.acceptance.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.WorkerTimeoutException;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.PausePoints;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.Map;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A source that says nothing for longer than the consumer wants to wait. */
@ExtendWith(Leftovers.class)
@Timeout(180)
final class InactivityTest {
  private static final Duration LIMIT = Duration.ofSeconds(1);
  private static final Duration TOLD = Duration.ofMillis(1500);
  private static final int LATE = 3;
  private static final int ITEMS = 6;

  @TempDir private Path folder;

  // R96 (a)
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void itIsReportedInTimeAndTheWorkerGoesWithTheClose(boolean arena) {
    SubprocessIterable<Map<String, Object>> items = start(Busy.SLEEPS, arena);
    Iterator<Map<String, Object>> iterator = items.iterator();
    for (int i = 0; i < LATE; i++) {
      Workers.verify(i, iterator.next());
    }
    for (int i = 0; i < 2; i++) {
      verifySilence(items, iterator);
    }
    assertTrue(Pids.isAlive(items.pid()));
    Workers.close(items);
  }

  // R96 (b)
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void theItemComesLaterAndNothingIsLost(boolean arena) {
    SubprocessIterable<Map<String, Object>> items = start(Busy.WAITS_FOR_A_SIGN, arena);
    Iterator<Map<String, Object>> iterator = items.iterator();
    for (int i = 0; i < LATE; i++) {
      Workers.verify(i, iterator.next());
    }
    verifySilence(items, iterator);

    PausePoints.in(folder).release(Busy.POINT);

    Workers.verify(LATE, patiently(iterator));
    for (int i = LATE + 1; i < ITEMS; i++) {
      Workers.verify(i, patiently(iterator));
    }
    assertFalse(iterator.hasNext());
    Workers.close(items);
  }

  private SubprocessIterable<Map<String, Object>> start(Busy busy, boolean arena) {
    return Subprocess.iterate(
        busy.at(LATE, ITEMS, folder.toString()),
        Workers.options(arena, ITEMS).timeout(LIMIT).build());
  }

  private static void verifySilence(SubprocessIterable<?> items, Iterator<?> iterator) {
    long begin = System.nanoTime();
    WorkerTimeoutException silent = assertThrows(WorkerTimeoutException.class, iterator::next);
    Duration time = Duration.ofNanos(System.nanoTime() - begin);
    Promise.took("silence", TOLD, time);
    assertTrue(time.compareTo(LIMIT) >= 0, time::toString);
    assertEquals(items.pid(), silent.facts().get("pid"));
    assertEquals("sleeping", silent.facts().get("state"));
  }

  /** A busy machine may be slower than the limit of inactivity. */
  private static <T> T patiently(Iterator<T> iterator) {
    while (true) {
      try {
        return iterator.next();
      } catch (WorkerTimeoutException e) {
        assertTrue(iterator.hasNext());
      }
    }
  }
}
