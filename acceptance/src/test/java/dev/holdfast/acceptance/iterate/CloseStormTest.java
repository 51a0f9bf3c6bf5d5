package dev.holdfast.acceptance.iterate;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.holdfast.arena.ArenaClosedException;
import dev.holdfast.loader.Lease;
import dev.holdfast.loader.Parcel;
import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Seeds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Closes by several threads at once, while others are in every call. */
@ExtendWith(Leftovers.class)
@Timeout(300)
final class CloseStormTest {
  private static final int ROUNDS = 3;
  private static final int CLOSERS = 3;

  /** A way to use an iterable until it is closed. */
  private interface Use {
    void once(SubprocessIterable<Map<String, Object>> items);
  }

  private static final List<Use> USES =
      List.of(
          items -> {
            var _ = items.iterator().next();
          },
          items -> items.leases().iterator().next().close(),
          items -> {
            Iterator<Parcel<Map<String, Object>>> parcels = items.parcels().iterator();
            if (parcels.hasNext()) {
              parcels.next().discard();
            }
          },
          items -> {
            Iterator<Lease<Map<String, Object>>> leases = items.leases().iterator();
            while (leases.hasNext()) {
              leases.next().close();
            }
          },
          items -> {
            var _ = items.iterator().hasNext();
          });

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void everyUserIsToldAndEveryCloserFindsTheWorkerGone(boolean withArena) throws Exception {
    Random random = new Random(Seeds.next());
    for (int round = 0; round < ROUNDS; round++) {
      SubprocessIterable<Map<String, Object>> items =
          Subprocess.iterate(Feeds.stamped(1_000_000), Feeds.options(withArena).build());
      List<FutureTask<Integer>> users = new ArrayList<>();
      for (Use use : USES) {
        users.add(Deadlines.start("user", () -> useUntilClosed(items, use)));
      }
      Deadlines.pause(Duration.ofMillis(20 + random.nextInt(100)));
      List<FutureTask<Boolean>> closers = new ArrayList<>();
      for (int i = 0; i < CLOSERS; i++) {
        closers.add(
            Deadlines.start(
                "closer",
                () -> {
                  items.close();
                  return ProcessHandle.of(items.pid()).isPresent();
                }));
      }
      for (FutureTask<Boolean> closer : closers) {
        assertFalse(Deadlines.result(closer), "a close came back before the worker had gone");
      }
      int uses = 0;
      for (FutureTask<Integer> user : users) {
        uses += Deadlines.result(user);
      }
      System.out.println("uses before the close: " + uses);
      assertThrows(ArenaClosedException.class, items::iterator);
    }
  }

  /** Returns how often it went well. */
  private static int useUntilClosed(SubprocessIterable<Map<String, Object>> items, Use use) {
    int uses = 0;
    while (true) {
      try {
        use.once(items);
        uses++;
      } catch (ArenaClosedException e) {
        return uses;
      } catch (IllegalStateException e) {
        if (!e.getMessage().contains("superseded")) {
          throw e;
        }
      }
    }
  }
}
