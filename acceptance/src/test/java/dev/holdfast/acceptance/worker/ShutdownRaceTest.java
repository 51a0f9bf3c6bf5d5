package dev.holdfast.acceptance.worker;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.holdfast.arena.ArenaClosedException;
import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.loader.Lease;
import dev.holdfast.loader.Parcel;
import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Rounds;
import dev.holdfast.testkit.Seeds;
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
@Timeout(1800)
final class ShutdownRaceTest {
  private static final Duration WORKER_GONE = Duration.ofSeconds(3);

  /** When a consumer that waited was told of the close. */
  private record Outcome(ArenaClosedException closed, long at) {}

  /** Two items that keep an arena full, and the iterator that waits for a third. */
  private interface Full {
    Iterator<?> iterator();

    /** What is held is as good after the close as was promised. */
    void verify();
  }

  /** A pool is kept full by open leases, which live on. */
  private record HeldLeases(
      Iterator<Lease<Map<String, Object>>> iterator, List<Lease<Map<String, Object>>> held)
      implements Full {

    static HeldLeases of(SubprocessIterable<Map<String, Object>> items) {
      Iterator<Lease<Map<String, Object>>> leases = items.leases(ViewScope.SHARED).iterator();
      return new HeldLeases(leases, List.of(leases.next(), leases.next()));
    }

    @Override
    public void verify() {
      for (int i = 0; i < held.size(); i++) {
        Workers.verify(i, held.get(i).item());
        held.get(i).close();
      }
    }
  }

  /** A ring is kept full by what nobody has opened, which ends with it. */
  private record HeldParcels(
      Iterator<Parcel<Map<String, Object>>> iterator, List<Parcel<Map<String, Object>>> held)
      implements Full {

    static HeldParcels of(SubprocessIterable<Map<String, Object>> items) {
      Iterator<Parcel<Map<String, Object>>> parcels = items.parcels().iterator();
      return new HeldParcels(parcels, List.of(parcels.next(), parcels.next()));
    }

    @Override
    public void verify() {
      for (Parcel<Map<String, Object>> parcel : held) {
        assertThrows(ArenaClosedException.class, () -> parcel.open(ViewScope.CONFINED));
      }
    }
  }

  // R53
  @Test
  void itEndsTheWorkersWaitForSpaceAndTheConsumersForAnItem() throws Exception {
    Random random = new Random(Seeds.next());
    int rounds = Rounds.of(500);
    for (int round = 0; round < rounds; round++) {
      boolean ring = round % 2 == 1;
      SharedMemoryArena arena = ring ? Workers.ring(2) : Workers.pool(2);
      SubprocessIterable<Map<String, Object>> items =
          Subprocess.iterate(Workers.stamped(10), Workers.options().arena(arena).build());
      Full full = ring ? HeldParcels.of(items) : HeldLeases.of(items);
      FutureTask<Outcome> consumer = Deadlines.start("consumer", () -> blocked(full.iterator()));
      Deadlines.pause(Duration.ofMillis(random.nextInt(round % 4 < 2 ? 3 : 150)));

      long begin = System.nanoTime();
      items.close();

      Promise.ends("the worker", items.pid(), WORKER_GONE, begin);
      Outcome outcome = Deadlines.result(consumer);
      Promise.took("the consumer", Promise.WAITER_OUT, Duration.ofNanos(outcome.at - begin));
      assertThrows(ArenaClosedException.class, full.iterator()::next);
      full.verify();
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
