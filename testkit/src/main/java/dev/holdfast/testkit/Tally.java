package dev.holdfast.testkit;

import java.util.Locale;

/**
 * What tests have done that attack. Each count is a line of the test's output; {@code
 * bin/attack-counts} adds up these lines of all tests. {@link Rounds} count repetitions of any
 * kind.
 */
public enum Tally {
  /** Rounds of a test that kills, lies or compares random calls with a model. */
  ROUNDS,
  /** Processes that were killed with SIGKILL. */
  KILLS,
  /** Bytes, words and numbers that were changed under somebody's hands. */
  MUTATIONS,
  /** Orders of steps that a model checker has tried, and ways in which races were run. */
  INTERLEAVINGS;

  /**
   * Counts.
   *
   * @param number how many more there are
   */
  public void add(long number) {
    System.out.println("tally: " + name().toLowerCase(Locale.ROOT) + " " + number);
  }
}
