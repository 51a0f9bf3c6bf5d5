package dev.holdfast.acceptance.fire;

import dev.holdfast.testkit.Rounds;
import dev.holdfast.testkit.Tally;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/**
 * The crash matrix: in each round a process is killed with SIGKILL, at one of the pause points or
 * at a random moment. Each of its areas has a test class that runs its share of the rounds: sides
 * of an arena, holders of tickets, workers of an iteration, workers of a region, parents.
 *
 * <p>In full there are 3,000 rounds. {@code -Dholdfast.seed} repeats a run: a round depends on the
 * sum of the seed and its own number and on nothing else.
 */
public final class CrashMatrix {
  private static final int FULL = 3000;

  private CrashMatrix() {}

  /**
   * Returns how many rounds an area has in this run.
   *
   * @param percent its share of all rounds
   */
  public static int rounds(int percent) {
    return Rounds.of(FULL / 100 * percent);
  }

  /** One round: what is killed, when, and what is checked. */
  @FunctionalInterface
  public interface Round {
    /**
     * Runs.
     *
     * @param random what the round is drawn from
     * @param round its number
     */
    void run(RandomGenerator random, int round) throws Exception;
  }

  /**
   * Runs the rounds of an area. A failure names the round and how to repeat it.
   *
   * @param area the area in words
   * @param seed the seed of the run
   * @param rounds how many
   * @param round one of them
   */
  public static void run(String area, long seed, int rounds, Round round) throws Exception {
    long start = System.nanoTime();
    for (int i = 0; i < rounds; i++) {
      try {
        round.run(random(seed, i), i);
      } catch (Exception | AssertionError e) {
        throw new AssertionError("%s, round %d of -Dholdfast.seed=%d".formatted(area, i, seed), e);
      }
    }
    Tally.ROUNDS.add(rounds);
    Tally.KILLS.add(rounds);
    System.out.printf(
        "%s: seed %d, rounds %d, %d ms each%n",
        area, seed, rounds, (System.nanoTime() - start) / 1_000_000 / Math.max(1, rounds));
  }

  /**
   * Counts rounds of a test that does not go through {@link #run}.
   *
   * @param area the area in words
   * @param rounds how many
   * @param kills how many processes were killed in them
   */
  public static void count(String area, int rounds, int kills) {
    Tally.ROUNDS.add(rounds);
    Tally.KILLS.add(kills);
    System.out.printf("%s: rounds %d, kills %d%n", area, rounds, kills);
  }

  /**
   * Returns what a round is drawn from.
   *
   * @param seed the seed of the run
   * @param round the round's number
   */
  public static RandomGenerator random(long seed, int round) {
    return new SplittableRandom(seed + round);
  }

  /** Returns one of some values. */
  public static <T> T oneOf(RandomGenerator random, List<T> values) {
    return values.get(random.nextInt(values.size()));
  }
}
