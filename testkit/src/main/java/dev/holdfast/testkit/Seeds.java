package dev.holdfast.testkit;

/**
 * The seed of a random run: another one each time, unless {@code -Dholdfast.seed}, or else the
 * variable {@code HOLDFAST_SEED} of the environment, gives the one of a run that is to be repeated.
 */
public final class Seeds {
  private Seeds() {}

  /**
   * Returns a seed and prints it.
   *
   * @return the seed; a test with several rounds adds their numbers to it
   */
  public static long next() {
    String given = System.getProperty("holdfast.seed", System.getenv("HOLDFAST_SEED"));
    long seed = given == null ? System.nanoTime() : Long.parseLong(given);
    System.out.println("seed (-Dholdfast.seed): " + seed);
    return seed;
  }
}
