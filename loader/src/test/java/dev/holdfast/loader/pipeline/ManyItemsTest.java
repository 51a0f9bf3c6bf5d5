package dev.holdfast.loader.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.testkit.Rounds;
import dev.holdfast.testkit.Seeds;
import java.util.BitSet;
import java.util.Iterator;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Nothing is lost or doubled among many items with random delays, drops and early stops. */
final class ManyItemsTest {
  private static final int FULL = 1_000_000;

  /** So many failures at most may still come of a pass that was left, until the next one begins. */
  private static final int AHEAD = 64;

  private static boolean dropped(int item) {
    return item % 17 == 3 || item % 19 == 5;
  }

  @Test
  void nothingIsLostOrDoubled() {
    int count = Rounds.of(FULL);
    long seed = Seeds.next();
    try (PipelineIterable<Integer> pipeline =
        Pipeline.from(Numbers.below(count))
            .buffer(64)
            .<Integer>map(item -> delayed(item, seed), 4)
            .buffer(64)
            .filter(item -> item % 19 != 5, 2, Order.COMPLETION)
            .buffer(64)
            .batch(13)
            .buffer(16)
            .<Integer>unbatch()
            .buffer(64)
            .<Integer>map(item -> delayed(item, ~seed), 3, Order.COMPLETION)
            .buffer(64)
            .build()) {
      Random random = new Random(seed);
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

  /** An item is delayed or not, whichever thread has it. */
  private static int delayed(int item, long seed) {
    if (item % 17 == 3) {
      throw new IllegalArgumentException("dropped");
    }
    SplittableRandom random = new SplittableRandom(seed + item);
    if (random.nextInt(1_000) == 0) {
      LockSupport.parkNanos(random.nextInt(50_000));
    }
    return item;
  }
}
