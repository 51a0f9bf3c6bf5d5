package dev.holdfast.testkit;

/**
 * How often a repeating test repeats: the full count times the property {@code holdfast.rounds},
 * 0.1 unless the whole run is asked for, and never less than 20 or the full count.
 */
public final class Rounds {
  private static final int LEAST = 20;
  private static final double FACTOR =
      Double.parseDouble(System.getProperty("holdfast.rounds", "0.1"));

  private Rounds() {}

  /**
   * Returns the count of this run and prints it.
   *
   * @param full the count of the full run
   * @return how often to repeat
   */
  public static int of(int full) {
    return said((int) Math.min(full, Math.max(LEAST, Math.round(full * FACTOR))), full);
  }

  /**
   * Returns the count of a run whose tenth would still take too long, and prints it.
   *
   * @param full the count of the full run
   * @param otherwise the count of every other run
   * @return how often to repeat
   */
  public static int of(int full, int otherwise) {
    return said(whole() ? full : otherwise, full);
  }

  /**
   * Returns whether the whole run was asked for.
   *
   * @return true when full counts are due
   */
  public static boolean whole() {
    return FACTOR >= 1;
  }

  private static int said(int rounds, int full) {
    System.out.println("rounds: " + rounds + " of " + full);
    return rounds;
  }
}
