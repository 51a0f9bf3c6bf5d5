package dev.holdfast.acceptance.iterate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.HoldfastFailure;
import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.loader.Lease;
import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.pipeline.Pipeline;
import dev.holdfast.loader.pipeline.PipelineIterable;
import dev.holdfast.loader.pipeline.ProcessRegion;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Rounds;
import dev.holdfast.testkit.Seeds;
import dev.holdfast.testkit.Tally;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Random;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
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

  /** Long enough for a worker that says nothing, and for one that waits for space. */
  private static final Duration SILENCE = Duration.ofSeconds(2);

  private static final Duration FULL = Duration.ofSeconds(1);

  private enum Target {
    CHANNEL,
    POOL,
    RING,
    /** The channel with its inputs and both arenas of a region of one worker. */
    REGION
  }

  /** Changes one bit and returns where. */
  @FunctionalInterface
  private interface Damage {
    long doOne();
  }

  @Test
  void damagedControlBlocksAreTypedErrorsOrHarmless() throws Exception {
    Random random = new Random(Seeds.next());
    Target[] targets = Target.values();
    int rounds = Rounds.of(22 * targets.length, 7 * targets.length);
    for (int round = 0; round < rounds; round++) {
      Target target = targets[round % targets.length];
      String outcome =
          Deadlines.within(
              "round " + round,
              LIMIT,
              () -> target == Target.REGION ? region(random) : worker(random, target));
      System.out.println("round " + round + ": " + target + outcome);
    }
    Tally.MUTATIONS.add(rounds); // one at least in each
  }

  private static String worker(Random random, Target target) {
    SharedMemoryArena arena =
        target == Target.RING ? Feeds.ring(4, FULL) : Feeds.pool(4, FULL); // goes with the worker
    try (SubprocessIterable<Map<String, Object>> items =
        Subprocess.iterate(
            Feeds.stamped(UNITS), Feeds.options(false).arena(arena).timeout(SILENCE).build())) {
      SharedDamage memory =
          target == Target.CHANNEL ? SharedDamage.ofChannel() : SharedDamage.of(arena);
      return stream(
          items.leases(),
          () ->
              target == Target.CHANNEL
                  ? flip(random, memory, ofChannel(random, 2))
                  : flip(random, memory, ofArena(random, target == Target.POOL)),
          () -> 0);
    }
  }

  private static String region(Random random) {
    boolean pools = random.nextBoolean();
    SharedMemoryArena inputs = pools ? Feeds.pool(4, FULL) : Feeds.ring(4, FULL);
    SharedMemoryArena outputs = pools ? Feeds.pool(4, FULL) : Feeds.ring(4, FULL);
    try {
      return region(random, inputs, outputs, pools);
    } finally {
      for (SharedMemoryArena arena : List.of(inputs, outputs)) {
        arena.close();
        arena.unlink();
      }
    }
  }

  private static String region(
      Random random, SharedMemoryArena inputs, SharedMemoryArena outputs, boolean pools) {
    try (PipelineIterable<Map<String, Object>> results =
        Pipeline.from(IntStream.range(0, UNITS).boxed().toList())
            .<Map<String, Object>>map(unit -> Feeds.item(0, unit, Feeds.PAYLOAD_BYTES))
            .to(
                ProcessRegion.workers(1)
                    .options(Feeds.options(false).timeout(SILENCE).build())
                    .inputArena(_ -> inputs)
                    .outputArena(_ -> outputs))
            .<Map<String, Object>>map(DamagedMemoryTest::copied)
            .toMain()
            .build()) {
      SharedDamage channel = SharedDamage.ofChannel();
      List<SharedDamage> arenas = List.of(SharedDamage.of(inputs), SharedDamage.of(outputs));
      return stream(
          results.leases(),
          () ->
              random.nextBoolean()
                  ? flip(random, channel, ofChannel(random, 3))
                  : flip(random, arenas.get(random.nextInt(2)), ofArena(random, pools)),
          () -> results.stats().failed());
    }
  }

  /** Results may not lie in the memory of their input. */
  private static Map<String, Object> copied(Map<String, Object> item) {
    ByteBuffer payload = (ByteBuffer) item.get("payload");
    byte[] bytes = new byte[payload.remaining()];
    payload.get(bytes);
    return Map.of(
        "pass", item.get("pass"), "unit", item.get("unit"), "payload", ByteBuffer.wrap(bytes));
  }

  private static long flip(Random random, SharedDamage memory, long offset) {
    memory.writeByte(offset, memory.readByte(offset) ^ (1 << random.nextInt(8)));
    return offset;
  }

  /**
   * Takes all items while the memory is damaged.
   *
   * @param failed says how many were left out because they have failed
   */
  private static String stream(
      Iterable<Lease<Map<String, Object>>> items, Damage damage, LongSupplier failed) {
    StringBuilder what = new StringBuilder();
    int taken = 0;
    int expected = 0;
    try {
      Iterator<Lease<Map<String, Object>>> leases = items.iterator();
      while (expected < UNITS) {
        if (taken % STRIDE == STRIDE - 1) {
          what.append(" ").append(damage.doOne());
        }
        try (Lease<Map<String, Object>> lease = leases.next()) {
          int unit = (int) lease.item().get("unit");
          assertTrue(unit >= expected, () -> what + ": unit " + unit + " comes late");
          Feeds.verify(lease.item(), 0, unit);
          taken++;
          expected = unit + 1;
        }
      }
      assertEquals(UNITS - taken, failed.getAsLong(), () -> what + ": items are missing");
      return what + ": harmless";
    } catch (NoSuchElementException e) {
      assertEquals(UNITS - taken, failed.getAsLong(), () -> what + ": items are missing");
      return what + ": failed items " + (UNITS - taken);
    } catch (RuntimeException e) {
      assertInstanceOf(HoldfastFailure.class, e, what::toString);
      assertTrue(e.getMessage().length() > 20, e::toString);
      return what + ": " + e;
    }
  }

  /** A byte of the words of one of the directions, or of the word that ends the worker. */
  private static long ofChannel(Random random, int directions) {
    return random.nextInt(16) == 0
        ? 1024 + random.nextInt(4)
        : 4096 + 1024L * random.nextInt(directions) + 128L * random.nextInt(7) + random.nextInt(8);
  }

  /** A byte of the header, of a word, or of the words of a segment, which a ring has none of. */
  private static long ofArena(Random random, boolean pool) {
    return switch (random.nextInt(pool ? 6 : 5)) {
      case 0 -> random.nextInt(96);
      case 5 -> 4096 + 128L * random.nextInt(8) + random.nextInt(8);
      default -> 256 + 128L * random.nextInt(9) + random.nextInt(24);
    };
  }
}
