package dev.holdfast.acceptance.model;

import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.arena.SharedMemoryRingBuffer;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Rounds;
import dev.holdfast.testkit.Seeds;
import dev.holdfast.testkit.Tally;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Each arena against a simple model of it, with the same random calls. {@code -Dholdfast.seed}
 * repeats a run.
 */
@ExtendWith(Leftovers.class)
@Timeout(1800)
final class DifferentialTest {
  private static final int CALLS = 400;

  /** Two processes are started and killed in one of so many rounds. */
  private static final int ROUNDS_PER_KILL = 10;

  @Test
  void poolDoesWhatItsModelDoes() {
    runAll(
        "pool",
        random -> {
          long segmentSize = 1L + random.nextInt(5000);
          int count = 1 + random.nextInt(6);
          SharedMemoryArena pool =
              SharedMemorySegmentPool.builder(segmentSize, count)
                  .acquireTimeout(Duration.ZERO)
                  .build();
          return new RandomRun(pool, new Rules.OfPool(segmentSize, count), random, segmentSize);
        });
  }

  @Test
  void ringDoesWhatItsModelDoes() {
    runAll(
        "ring",
        random -> {
          long capacity = 64L + random.nextInt(9000);
          SharedMemoryArena ring =
              SharedMemoryRingBuffer.builder(capacity).acquireTimeout(Duration.ZERO).build();
          return new RandomRun(ring, new Rules.OfRing(capacity), random, capacity);
        });
  }

  private interface Maker {
    RandomRun make(Random random);
  }

  private static void runAll(String what, Maker maker) {
    long seed = Seeds.next();
    int rounds = Rounds.of(200);
    Map<RandomRun.Call, Integer> counts = new EnumMap<>(RandomRun.Call.class);
    for (int round = 0; round < rounds; round++) {
      Random random = new Random(seed + round);
      try {
        maker
            .make(random)
            .run(CALLS, round % ROUNDS_PER_KILL == 0)
            .forEach((call, n) -> counts.merge(call, n, Integer::sum));
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("%s, -Dholdfast.seed=%d".formatted(what, seed + round), e);
      }
    }
    Tally.ROUNDS.add(rounds);
    Tally.KILLS.add(
        counts.get(RandomRun.Call.KILL_WRITER) + counts.get(RandomRun.Call.KILL_READER));
    System.out.printf("%s: seed %d, rounds %d, calls %s%n", what, seed, rounds, counts);
  }
}
