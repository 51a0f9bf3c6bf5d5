package dev.holdfast.acceptance.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.arena.StorageHold;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.loader.Lease;
import dev.holdfast.loader.Parcel;
import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.SubprocessOptions;
import dev.holdfast.loader.WorkerDiedException;
import dev.holdfast.loader.WorkerSource;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.PausePoints;
import dev.holdfast.testkit.Stamps;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A worker that is killed by hand, and what its consumer gets before and after. */
@ExtendWith(Leftovers.class)
@Timeout(180)
final class WorkerDeathTest {
  private static final int LARGE = (16 << 20) + 3;
  private static final Duration A_MOMENT = Duration.ofMillis(300);

  @TempDir private Path folder;

  // R33 (a)
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void beforeItsFirstItemItIsTheFirstThingThatComes(boolean arena) {
    SubprocessIterable<Map<String, Object>> items =
        Subprocess.iterate(Workers.stamped(10), Workers.options(arena, 4).build());
    Iterator<Map<String, Object>> iterator = items.iterator();

    long killed = Pids.kill(items.pid());

    Workers.verifyDead(items, iterator, died(iterator, killed));
    Workers.close(items);
  }

  // R33 (b)
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void betweenItemsTheCompleteOnesStillCome(boolean arena) {
    SubprocessIterable<Map<String, Object>> items =
        Subprocess.iterate(
            Busy.WAITS_FOR_A_SIGN.at(3, 10, folder.toString()), Workers.options(arena, 4).build());
    Iterator<Map<String, Object>> iterator = items.iterator();
    Workers.verify(0, iterator.next());
    assertEquals(items.pid(), PausePoints.in(folder).awaitReached(Busy.POINT));

    long killed = Pids.kill(items.pid());
    Deadlines.assertEventually("it has ended", () -> !Pids.isAlive(items.pid()));

    Workers.verify(1, iterator.next());
    Workers.verify(2, iterator.next());
    Workers.verifyDead(items, iterator, died(iterator, killed));
    Workers.close(items);
  }

  // R33 (c)
  @Test
  void inTheMiddleOfACopyTheUnitIsNotDelivered() {
    PausePoints points = PausePoints.in(folder).pause("BINARY_HALF_COPIED", 2);
    SubprocessOptions options =
        Workers.options()
            .jvmArgs(points.jvmArgument())
            .arena(new SharedMemorySegmentPool(LARGE, 3))
            .build();
    SubprocessIterable<Map<String, Object>> items = Subprocess.iterate(ofSize(10, LARGE), options);
    Iterator<Map<String, Object>> iterator = items.iterator();
    Workers.verify(0, iterator.next());
    assertEquals(items.pid(), points.awaitReached("BINARY_HALF_COPIED"));

    long killed = Pids.kill(items.pid());

    Workers.verifyDead(items, iterator, died(iterator, killed));
    Workers.close(items);
  }

  // R33 (c)
  @Test
  void inTheMiddleOfALongRecordTheItemIsNotDelivered() {
    SubprocessOptions options = Workers.options().channelBytes(64 << 10).build();
    SubprocessIterable<Map<String, Object>> items =
        Subprocess.iterate(ofSize(10, 1 << 20), options);
    Iterator<Map<String, Object>> iterator = items.iterator();
    Workers.verify(0, iterator.next());
    Deadlines.pause(A_MOMENT);

    long killed = Pids.kill(items.pid());

    Workers.verifyDead(items, iterator, died(iterator, killed));
    Workers.close(items);
  }

  // R33 (d)
  @Test
  void whileItWaitsForSpaceWhatIsHeldStaysGood() {
    SubprocessIterable<Map<String, Object>> items =
        Subprocess.iterate(Workers.stamped(10), Workers.options(true, 2).build());
    Iterator<Lease<Map<String, Object>>> leases = items.leases().iterator();
    List<Lease<Map<String, Object>>> held = List.of(leases.next(), leases.next());
    Deadlines.pause(A_MOMENT);

    long killed = Pids.kill(items.pid());

    Workers.verifyDead(items, leases, died(leases, killed));
    Workers.close(items);
    for (int i = 0; i < held.size(); i++) {
      Workers.verify(i, held.get(i).item());
      held.get(i).close();
    }
  }

  // R33 (d)
  @Test
  void whileItWaitsForRoomInTheChannelItsItemsStillCome() {
    SubprocessIterable<Map<String, Object>> items =
        Subprocess.iterate(Workers.stamped(10), Workers.options().bufferSize(2).build());
    Iterator<Map<String, Object>> iterator = items.iterator();
    Workers.verify(0, iterator.next());
    Deadlines.pause(A_MOMENT);

    long killed = Pids.kill(items.pid());

    Workers.verify(1, iterator.next());
    Workers.verify(2, iterator.next());
    Workers.verifyDead(items, iterator, died(iterator, killed));
    Workers.close(items);
  }

  // R33 (e)
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aConsumerThatIsBlockedInNextHearsOfIt(boolean arena) throws Exception {
    SubprocessIterable<Map<String, Object>> items =
        Subprocess.iterate(
            Busy.SLEEPS.at(1, 10, folder.toString()), Workers.options(arena, 4).build());
    Iterator<Map<String, Object>> iterator = items.iterator();
    Workers.verify(0, iterator.next());
    FutureTask<WorkerDiedException> consumer =
        Deadlines.start("consumer", () -> assertThrows(WorkerDiedException.class, iterator::next));
    Deadlines.pause(A_MOMENT);
    assertFalse(consumer.isDone());

    long killed = Pids.kill(items.pid());
    WorkerDiedException died = Deadlines.result(consumer);

    Promise.kept("death", Promise.DEATH_REPORTED, killed);
    Workers.verifyDead(items, iterator, died);
    Workers.close(items);
  }

  // R33 (f)
  @Test
  void viewsAndHoldsAndUnopenedItemsSurviveIt() {
    SubprocessIterable<Map<String, Object>> items =
        Subprocess.iterate(Workers.stamped(10), Workers.options(true, 64).build());
    List<Map<String, Object>> plain = new ArrayList<>();
    for (Map<String, Object> item : items) {
      plain.add(item);
      if (plain.size() == 2) {
        break;
      }
    }
    Lease<Map<String, Object>> confined = items.leases().iterator().next();
    Lease<Map<String, Object>> shared = items.leases(ViewScope.SHARED).iterator().next();
    Iterator<Parcel<Map<String, Object>>> parcels = items.parcels().iterator();
    Parcel<Map<String, Object>> unopened = parcels.next();
    StorageHold hold = StorageHold.of((ByteBuffer) confined.item().get("payload"));

    long killed = Pids.kill(items.pid());
    Deadlines.assertEventually("it has ended", () -> !Pids.isAlive(items.pid()));

    try (Lease<Map<String, Object>> opened = unopened.open(ViewScope.CONFINED)) {
      Workers.verify(0, opened.item());
    }
    WorkerDiedException died = null;
    while (died == null) {
      try {
        parcels.next().discard();
      } catch (WorkerDiedException e) {
        died = e;
      }
    }
    Promise.kept("death", Promise.DEATH_REPORTED, killed);
    Workers.verifyDead(items, parcels, died);
    Workers.close(items);
    Workers.verify(0, plain.get(0));
    Workers.verify(1, plain.get(1));
    Workers.verify(0, confined.item());
    confined.close();
    Stamps.verify(hold.segment(), 0, 0);
    hold.close();
    Workers.verify(0, shared.item());
    assertTrue(shared.close(Deadlines.GENEROUS));
  }

  // R33
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void betweenTwoPassesTheNextOneSaysIt(boolean arena) {
    SubprocessIterable<Map<String, Object>> items =
        Subprocess.iterate(Workers.stamped(2), Workers.options(arena, 8).build());
    int seen = 0;
    for (Map<String, Object> item : items) {
      Workers.verify(seen++, item);
    }
    assertEquals(2, seen);
    Deadlines.pause(A_MOMENT);

    long killed = Pids.kill(items.pid());
    Iterator<Map<String, Object>> iterator = items.iterator();

    Workers.verifyDead(items, iterator, died(iterator, killed));
    Workers.close(items);
  }

  private static WorkerSource<Map<String, Object>> ofSize(int count, int bytes) {
    return _ -> Workers.counting(count, i -> Workers.stampedItem(i, bytes));
  }

  private static WorkerDiedException died(Iterator<?> iterator, long killed) {
    WorkerDiedException died = assertThrows(WorkerDiedException.class, iterator::next);
    Promise.kept("death", Promise.DEATH_REPORTED, killed);
    assertEquals("SIGKILL", died.facts().get("signal"));
    assertEquals(137, died.facts().get("exit"));
    return died;
  }
}
