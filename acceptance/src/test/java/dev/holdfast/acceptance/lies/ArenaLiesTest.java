package dev.holdfast.acceptance.lies;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.ArenaCorruptedException;
import dev.holdfast.arena.Backing;
import dev.holdfast.arena.SharedMemoryRingBuffer;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.arena.internal.inspect.ArenaFinder;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Rounds;
import dev.holdfast.testkit.Seeds;
import dev.holdfast.testkit.Tally;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Numbers in the file of an arena are changed between calls. Every call succeeds or ends in an
 * error that says so: no access out of bounds, no wait without an end, no wish for much memory.
 * {@code -Dholdfast.seed} repeats a run. R74
 */
@ExtendWith(Leftovers.class)
@Timeout(1800)
final class ArenaLiesTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final int CALLS = 60;
  private static final int SEGMENTS = 5;
  private static final int LARGEST = 500;

  @TempDir private Path folder;

  private Path file() {
    return folder.resolve("arena");
  }

  private interface Round {
    void run(Random random, Lies[] lies) throws IOException;
  }

  private static void runAll(String what, Round round) throws Exception {
    long seed = Seeds.next();
    int rounds = Rounds.of(3000);
    int told = 0;
    int calls = 0;
    int refused = 0;
    for (int i = 0; i < rounds; i++) {
      long own = seed + i;
      Lies[] lies = new Lies[1];
      try {
        Deadlines.within(
            what + " of lies",
            LIMIT,
            () -> {
              round.run(new Random(own), lies);
              return own;
            });
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("%s, -Dholdfast.seed=%d".formatted(what, own), e);
      } finally {
        if (lies[0] != null) {
          lies[0].close();
        }
      }
      told += lies[0].told();
      calls += lies[0].calls();
      refused += lies[0].refused();
    }
    assertTrue(refused > 0 && refused < calls, "some calls are refused");
    Tally.ROUNDS.add(rounds);
    Tally.MUTATIONS.add(told);
    System.out.printf(
        "%s: seed %d, rounds %d, lies %d, calls %d, refused %d%n",
        what, seed, rounds, told, calls, refused);
  }

  private SharedMemorySegmentPool pool() {
    return SharedMemorySegmentPool.builder(LARGEST, SEGMENTS)
        .acquireTimeout(Duration.ZERO)
        .backing(Backing.file(file()))
        .build();
  }

  @Test
  void streamOfAPoolNeverBelievesWhatCannotBeTrue() throws Exception {
    runAll(
        "pool",
        (random, lies) -> {
          try (SharedMemorySegmentPool pool = pool()) {
            lies[0] = new Lies(file(), random, SEGMENTS);
            new StreamOfLies(pool, lies[0], random, LARGEST).run(CALLS);
          }
        });
  }

  @Test
  void streamOfARingNeverBelievesWhatCannotBeTrue() throws Exception {
    runAll(
        "ring",
        (random, lies) -> {
          try (SharedMemoryRingBuffer ring =
              SharedMemoryRingBuffer.builder(3L * LARGEST + 7)
                  .acquireTimeout(Duration.ZERO)
                  .backing(Backing.file(file()))
                  .build()) {
            lies[0] = new Lies(file(), random, 0);
            new StreamOfLies(ring, lies[0], random, LARGEST).run(CALLS);
          }
        });
  }

  @Test
  void ticketsOfAPoolNeverBelieveWhatCannotBeTrue() throws Exception {
    runAll(
        "tickets",
        (random, lies) -> {
          try (SharedMemorySegmentPool pool = pool()) {
            lies[0] = new Lies(file(), random, SEGMENTS);
            new TicketsOfLies(pool, lies[0], random).run(CALLS);
          }
        });
  }

  /** A generation that begins in the future would give units back that nobody has published. */
  @Test
  void readerIsNotOpenedOnAGenerationThatCannotBeTrue() throws Exception {
    try (SharedMemorySegmentPool pool = pool()) {
      for (long first : new long[] {1, 5, 1L << 40, Long.MAX_VALUE}) {
        poke(1280, 1);
        poke(1288, first);
        assertThrows(ArenaCorruptedException.class, pool::openReader);
        assertEquals(0, pool.stats().reclaimed());
      }
      poke(1288, 0);
      pool.openReader().close();
      pool.unlink();
    }
  }

  /** Beyond the largest number a counter would go on with the smallest. */
  @Test
  void countersAtTheEndOfAllNumbersAreNotBelieved() throws Exception {
    try (SharedMemorySegmentPool pool = pool()) {
      for (long count : new long[] {Long.MAX_VALUE, Long.MAX_VALUE - 3, (1L << 62) + 1}) {
        poke(384, count - 1);
        poke(256, count);
        assertThrows(ArenaCorruptedException.class, pool::openWriter);
        assertThrows(ArenaCorruptedException.class, pool::openReader);
      }
      pool.unlink();
    }
  }

  private void poke(long offset, long value) throws IOException {
    try (RandomAccessFile words = new RandomAccessFile(file().toFile(), "rw")) {
      words.seek(offset);
      words.writeLong(Long.reverseBytes(value));
    }
  }

  /** Whoever attaches reads the header first; whoever inspects believes nothing either. */
  @Test
  void attachingAndInspectingNeverBelieveWhatCannotBeTrue() throws Exception {
    byte[] right;
    try (SharedMemorySegmentPool pool = pool()) {
      right = Files.readAllBytes(file());
      pool.unlink();
    }
    Path copy = folder.resolve("copy");
    runAll(
        "attach",
        (random, lies) -> {
          int kept = random.nextInt(3) == 0 ? random.nextInt(right.length) : right.length;
          Files.write(copy, Arrays.copyOf(right, kept));
          lies[0] = new Lies(copy, random, SEGMENTS);
          for (int i = random.nextInt(3); i >= 0 && kept == right.length; i--) {
            lies[0].tell();
          }
          lies[0].call("inspect", () -> ArenaFinder.inFile(copy));
          lies[0].call(
              "attach",
              () -> {
                try (SharedMemorySegmentPool pool = SharedMemorySegmentPool.attach(copy)) {
                  lies[0].call("stats", () -> pool.stats());
                  lies[0].call("openWriter", () -> pool.openWriter().close());
                  lies[0].call("openReader", () -> pool.openReader().close());
                  lies[0].call("shutdown", pool::shutdown);
                }
              });
          lies[0].call("attach a ring", () -> SharedMemoryRingBuffer.attach(copy).close());
          lies[0].call("inspect", () -> ArenaFinder.inFile(copy));
          Files.delete(copy);
        });
  }
}
