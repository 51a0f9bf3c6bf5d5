package dev.holdfast.acceptance.worker;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.holdfast.arena.ArenaClosedException;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.loader.Lease;
import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Rounds;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** A close while both sides wait for each other. */
@ExtendWith(Leftovers.class)
@Timeout(180)
final class ShutdownRaceTest {
  private static final Duration WORKER_GONE = Duration.ofSeconds(3);

  private record Outcome(ArenaClosedException closed, long at) {}

  // R53
  @Test
  void itEndsTheWorkersWaitForSpaceAndTheConsumersForAnItem() throws Exception {
    Random random = new Random(53);
    int rounds = Rounds.of(200);
    for (int round = 0; round < rounds; round++) {
      SubprocessIterable<Map<String, Object>> items =
          Subprocess.iterate(Workers.stamped(10), Workers.options(true, 2).build());
      Iterator<Lease<Map<String, Object>>> leases = items.leases(ViewScope.SHARED).iterator();
      List<Lease<Map<String, Object>>> held = List.of(leases.next(), leases.next());
      FutureTask<Outcome> consumer = Deadlines.start("consumer", () -> blocked(leases));
      Deadlines.pause(Duration.ofMillis(random.nextInt(round % 2 == 0 ? 3 : 150)));

      long begin = System.nanoTime();
      items.close();

      Promise.ends("the worker", items.pid(), WORKER_GONE, begin);
      Outcome outcome = Deadlines.result(consumer);
      Promise.took("the consumer", Promise.WAITER_OUT, Duration.ofNanos(outcome.at - begin));
      assertThrows(ArenaClosedException.class, leases::next);
      for (int i = 0; i < held.size(); i++) {
        Workers.verify(i, held.get(i).item());
        held.get(i).close();
      }
    }
  }

  // R53
  @Test
  void oneOfTwoClosesThatMeetWaitsForTheOther() throws Exception {
    SubprocessIterable<Map<String, Object>> items =
        Subprocess.iterate(Workers.stamped(10), Workers.options(true, 4).build());
    Workers.verify(0, items.iterator().next());
    FutureTask<Boolean> other =
        Deadlines.start(
            "other",
            () -> {
              items.close();
              return Pids.isAlive(items.pid());
            });
    items.close();
    assertFalse(Pids.isAlive(items.pid()));
    assertFalse(Deadlines.result(other));
  }

  private static Outcome blocked(Iterator<?> leases) {
    ArenaClosedException closed = assertThrows(ArenaClosedException.class, leases::next);
    return new Outcome(closed, System.nanoTime());
  }
}
