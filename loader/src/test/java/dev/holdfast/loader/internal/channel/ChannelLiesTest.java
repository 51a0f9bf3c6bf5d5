package dev.holdfast.loader.internal.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.ArenaCorruptedException;
import dev.holdfast.arena.internal.memory.SharedWords;
import dev.holdfast.arena.internal.memory.WaitWord;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Rounds;
import dev.holdfast.testkit.Seeds;
import dev.holdfast.testkit.Tally;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/**
 * Bytes of a channel's ring and of its words are changed between calls. {@code -Dholdfast.seed}
 * repeats a run.
 */
class ChannelLiesTest {
  private static final int CAPACITY = 1024;
  private static final int STEPS = 40;

  /** What a length is believed up to, and a little more. */
  private static final long MOST_ALLOCATED_BYTES = 80L << 20;

  private static final long[] WORDS = {
    ChannelLayout.PUBLISHED, ChannelLayout.CONSUMED, ChannelLayout.ITEMS_CONSUMED
  };

  /** The words of the waits, which are half as long. */
  private static final long[] WAIT_WORDS = {
    ChannelLayout.DATA_SIGNAL,
    ChannelLayout.CONSUMER_WAITING,
    ChannelLayout.SPACE_SIGNAL,
    ChannelLayout.PRODUCER_WAITING
  };

  /** So few that nearly each one is waited for. */
  private static final int RECORDS = 12;

  private static final int ITEM_LIMIT = 3;

  /** Told in the time that a wait is given to end in. */
  private static final int MOST_LIES = 300_000;

  private int lies;
  private int found;
  private int records;

  // R74
  @Test
  void whateverTheOtherSideWritesIsARecordWithinTheRingOrATypedError() throws Exception {
    long seed = Seeds.next();
    int rounds = Rounds.of(20_000);
    for (int round = 0; round < rounds; round++) {
      long own = seed + round;
      try {
        Deadlines.within(
            "a channel of lies",
            Duration.ofSeconds(60),
            () -> {
              round(new Random(own));
              return own;
            });
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("-Dholdfast.seed=" + own, e);
      }
    }
    assertTrue(found > 0 && records > 0, "some are found and some are harmless");
    Tally.ROUNDS.add(rounds);
    Tally.MUTATIONS.add(lies);
    System.out.printf(
        "channel: seed %d, rounds %d, lies %d, records %d, found %d%n",
        seed, rounds, lies, records, found);
  }

  private void round(Random random) {
    Ends ends = Ends.onHeap(CAPACITY, ITEM_LIMIT);
    long before = allocatedBytes();
    try {
      for (int step = 0; step < STEPS; step++) {
        switch (random.nextInt(6)) {
          case 0 -> lie(ends, random);
          case 1, 2 -> send(ends, random);
          default -> receive(ends);
        }
      }
    } catch (ArenaCorruptedException e) {
      found++;
      assertTrue(e.facts().containsKey("channel"), e.getMessage());
    }
    long allocated = allocatedBytes() - before;
    assertTrue(allocated < MOST_ALLOCATED_BYTES, "asked for " + allocated + " bytes");
  }

  private void lie(Ends ends, Random random) {
    lies++;
    switch (random.nextInt(10)) {
      case 0, 1 -> {
        long word = WORDS[random.nextInt(WORDS.length)];
        ends.words().setVolatile(word, number(random, ends.words().getVolatile(word)));
      }
      case 2 -> lieOfAWait(ends.words(), random);
      default -> lieInTheRing(ends, random);
    }
  }

  private static void lieOfAWait(SharedWords words, Random random) {
    long word = WAIT_WORDS[random.nextInt(WAIT_WORDS.length)];
    words.setIntVolatile(
        word,
        random.nextBoolean() ? WaitWord.NOBODY : (int) number(random, words.getIntVolatile(word)));
  }

  private static void lieInTheRing(Ends ends, Random random) {
    long at = random.nextInt(CAPACITY / 8) * 8L;
    MemorySegment ring = ends.ring();
    switch (random.nextInt(3)) {
      case 0 -> {
        long place = at + random.nextInt(8);
        byte right = ring.get(ValueLayout.JAVA_BYTE, place);
        ring.set(ValueLayout.JAVA_BYTE, place, (byte) (right ^ (1 << random.nextInt(8))));
      }
      case 1 ->
          ring.set(
              ValueLayout.JAVA_INT_UNALIGNED,
              at + 4L * random.nextInt(2),
              (int) number(random, ring.get(ValueLayout.JAVA_INT_UNALIGNED, at)));
      default ->
          ring.set(
              ValueLayout.JAVA_LONG_UNALIGNED,
              at,
              number(random, ring.get(ValueLayout.JAVA_LONG_UNALIGNED, at)));
    }
  }

  /** A wait looks again at the end of its slice, whatever it was told. */
  // R74
  @Test
  void waitsEndWhateverStandsInTheirWordsAndNothingIsLost() throws Exception {
    long seed = Seeds.next();
    int rounds = Rounds.of(200);
    int told = 0;
    for (int round = 0; round < rounds; round++) {
      long own = seed + round;
      try (Arena memory = Arena.ofShared()) {
        told += waits(Ends.offHeap(memory, CAPACITY, ITEM_LIMIT), new Random(own));
      } catch (AssertionError | Exception e) {
        throw new AssertionError("-Dholdfast.seed=" + own, e);
      }
    }
    Tally.ROUNDS.add(rounds);
    Tally.MUTATIONS.add(told);
    System.out.printf("waits: seed %d, rounds %d, lies %d%n", seed, rounds, told);
  }

  /** Both sides wait again and again while lies are told; returns how many. */
  private static int waits(Ends ends, Random random) throws Exception {
    FutureTask<Boolean> producer =
        Deadlines.start(
            "producer",
            () -> {
              for (int i = 0; i < RECORDS; i++) {
                pauseNowAndThen(i, 0);
                ends.sender().prepare(1, i, 2, Ends.body(i, 200), 0, true, () -> {});
                ends.sender().publish();
              }
              return true;
            });
    FutureTask<Boolean> consumer =
        Deadlines.start(
            "consumer",
            () -> {
              for (int i = 0; i < RECORDS; i++) {
                pauseNowAndThen(i, RECORDS / 2);
                assertTrue(ends.receiver().receive(Long.MAX_VALUE, () -> {}));
                assertEquals(i, ends.receiver().one());
                Ends.assertBody(i, 200, ends.receiver().body());
              }
              return true;
            });
    int told = 0;
    while (!(producer.isDone() && consumer.isDone()) && told < MOST_LIES) {
      lieOfAWait(ends.words(), random);
      told++;
      LockSupport.parkNanos(random.nextInt(300_000));
    }
    assertTrue(Deadlines.result(producer));
    assertTrue(Deadlines.result(consumer));
    ends.assertEmpty();
    return told;
  }

  /** Long enough for the other side to sleep; each side does so in its half of the records. */
  private static void pauseNowAndThen(int record, int from) {
    if (record >= from && record < from + RECORDS / 2) {
      LockSupport.parkNanos(2_000_000);
    }
  }

  private static long number(Random random, long right) {
    return switch (random.nextInt(7)) {
      case 0 -> -1 - random.nextInt(8);
      case 1 -> Long.MAX_VALUE - random.nextInt(64);
      case 2 -> Long.MIN_VALUE + random.nextInt(64);
      case 3 -> Integer.MAX_VALUE - random.nextInt(100);
      case 4 -> right + 8L * (random.nextInt(9) - 4);
      case 5 -> 1L << random.nextInt(64);
      default -> random.nextLong();
    };
  }

  /** A record longer than the room that is left is given up, and cancelled when it had begun. */
  private static void send(Ends ends, Random random) {
    int size = random.nextInt(10) == 0 ? random.nextInt(3 * CAPACITY) : random.nextInt(200);
    boolean item = random.nextBoolean();
    try {
      ends.sender()
          .prepare(random.nextInt(256), 1, 2, Ends.body(1, size), 0, item, ChannelLiesTest::full);
      ends.sender().publish();
    } catch (NoRoom e) {
      assertEquals("no room", e.getMessage());
    }
  }

  /** A receiver that has found one lie believes nothing any more. */
  private void receive(Ends ends) {
    ChannelReceiver receiver = ends.receiver();
    try {
      if (receiver.poll()) {
        records++;
        assertTrue(receiver.body().byteSize() <= 4L * CAPACITY);
      }
    } catch (ArenaCorruptedException e) {
      assertThrows(ArenaCorruptedException.class, receiver::poll);
      assertThrows(ArenaCorruptedException.class, receiver::ready);
      throw e;
    }
  }

  private static void full() {
    throw new NoRoom();
  }

  private static final class NoRoom extends RuntimeException {
    private static final long serialVersionUID = 1L;

    NoRoom() {
      super("no room");
    }
  }

  private static long allocatedBytes() {
    var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    return threads.getCurrentThreadAllocatedBytes();
  }
}
