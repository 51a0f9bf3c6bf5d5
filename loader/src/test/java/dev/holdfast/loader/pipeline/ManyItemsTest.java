package dev.holdfast.loader.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.testkit.Rounds;
import java.util.BitSet;
import java.util.Iterator;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Nothing is lost or doubled among many items with random delays, drops and early stops. */
final class ManyItemsTest {
  private static final int FULL = 1_000_000;
  private static final long SEED = 20_261_130L;

  /** So many failures at most may still come of a pass that was left, until the next one begins. */
  private static final int AHEAD = 64;

  private static boolean dropped(int item) {
    return item % 17 == 3 || item % 19 == 5;
  }

  @Test
  void nothingIsLostOrDoubled() {
    int count = Rounds.of(FULL);
    try (PipelineIterable<Integer> pipeline =
        Pipeline.from(Numbers.below(count))
            .buffer(64)
            .<Integer>map(ManyItemsTest::delayed, 4)
            .buffer(64)
            .filter(item -> item % 19 != 5, 2, Order.COMPLETION)
            .buffer(64)
            .batch(13)
            .buffer(16)
            .<Integer>unbatch()
            .buffer(64)
            .<Integer>map(ManyItemsTest::delayed, 3, Order.COMPLETION)
            .buffer(64)
            .build()) {
      Random random = new Random(SEED);
      for (int early = 0; early < 5; early++) {
        takeSome(pipeline.iterator(), random.nextInt(count / 100));
      }
      BitSet seen = new BitSet();
      long failedBefore = pipeline.stats().failed();
      for (int item : pipeline) {
        assertTrue(!seen.get(item), () -> "twice: " + item);
        seen.set(item);
      }
      long failed = 0;
      for (int item = 0; item < count; item++) {
        assertEquals(!dropped(item), seen.get(item), "item " + item);
        failed += item % 17 == 3 ? 1 : 0;
      }
      long counted = pipeline.stats().failed() - failedBefore;
      assertTrue(counted >= failed && counted <= failed + AHEAD, counted + " of " + failed);
    }
  }

  private static void takeSome(Iterator<Integer> results, int count) {
    BitSet seen = new BitSet();
    for (int i = 0; i < count; i++) {
      int item = results.next();
      assertTrue(!seen.get(item) && !dropped(item), () -> "wrong: " + item);
      seen.set(item);
    }
  }

  private static int delayed(int item) {
    if (item % 17 == 3) {
      throw new IllegalArgumentException("dropped");
    }
    int chance = ThreadLocalRandom.current().nextInt(1_000);
    if (chance == 0) {
      LockSupport.parkNanos(ThreadLocalRandom.current().nextInt(50_000));
    }
    return item;
  }
}
