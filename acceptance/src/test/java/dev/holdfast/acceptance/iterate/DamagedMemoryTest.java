package dev.holdfast.acceptance.iterate;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.HoldfastFailure;
import dev.holdfast.loader.Lease;
import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.SubprocessOptions;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Rounds;
import dev.holdfast.testkit.Seeds;
import dev.holdfast.testkit.Tally;
import java.time.Duration;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Bytes of the control blocks are changed while a worker streams through them. Whatever happens is
 * a typed error or no harm at all: no wrong item, no wait without an end, no crash. R74
 */
@ExtendWith(Leftovers.class)
@Timeout(1800)
final class DamagedMemoryTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final int UNITS = 200;
  private static final int STRIDE = 25;

  private enum Target {
    CHANNEL,
    POOL,
    RING
  }

  private static SubprocessOptions options(Target target) {
    Duration limit = Duration.ofSeconds(1);
    return Feeds.options(false)
        .arena(target == Target.RING ? Feeds.ring(4, limit) : Feeds.pool(4, limit))
        .timeout(Duration.ofSeconds(2))
        .build();
  }

  @Test
  void damagedControlBlocksAreTypedErrorsOrHarmless() throws Exception {
    Random random = new Random(Seeds.next());
    int rounds = Rounds.of(66);
    for (int round = 0; round < rounds; round++) {
      int current = round;
      String outcome =
          Deadlines.within(
              "round " + round, LIMIT, () -> round(random, Target.values()[current % 3]));
      System.out.println("round " + round + ": " + outcome);
    }
    Tally.MUTATIONS.add(rounds); // one at least in each
  }

  private static String round(Random random, Target target) {
    boolean channel = target == Target.CHANNEL;
    try (SubprocessIterable<Map<String, Object>> items =
        Subprocess.iterate(Feeds.stamped(UNITS), options(target))) {
      SharedDamage damage = channel ? SharedDamage.ofChannel() : SharedDamage.ofArena();
      StringBuilder what = new StringBuilder(target.toString());
      try {
        Iterator<Lease<Map<String, Object>>> leases = items.leases().iterator();
        for (int unit = 0; unit < UNITS; unit++) {
          if (unit % STRIDE == STRIDE - 1) {
            long offset = channel ? ofChannel(random) : ofArena(random, target);
            what.append(" ").append(offset);
            damage.writeByte(offset, damage.readByte(offset) ^ (1 << random.nextInt(8)));
          }
          try (Lease<Map<String, Object>> lease = leases.next()) {
            Feeds.verify(lease.item(), 0, unit);
          }
        }
        return what + ": harmless";
      } catch (NoSuchElementException e) {
        throw new AssertionError(what + ": items are missing", e);
      } catch (RuntimeException e) {
        assertInstanceOf(HoldfastFailure.class, e, what::toString);
        assertTrue(e.getMessage().length() > 20, e::toString);
        return what + ": " + e;
      }
    }
  }

  /** A byte of the words of either direction. */
  private static long ofChannel(Random random) {
    return 4096 + 1024L * random.nextInt(2) + 128L * random.nextInt(7) + random.nextInt(8);
  }

  /** A byte of the header, of a word, or of the words of a segment, which a ring has none of. */
  private static long ofArena(Random random, Target target) {
    return switch (random.nextInt(target == Target.RING ? 5 : 6)) {
      case 0 -> random.nextInt(96);
      case 5 -> 4096 + 128L * random.nextInt(8) + random.nextInt(8);
      default -> 256 + 128L * random.nextInt(9) + random.nextInt(24);
    };
  }
}
