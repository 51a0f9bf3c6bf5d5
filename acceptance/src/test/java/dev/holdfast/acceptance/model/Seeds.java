package dev.holdfast.acceptance.model;

/** The seed of a random run: another one each time, unless {@code -Dholdfast.seed} gives it. */
final class Seeds {
  private Seeds() {}

  static long next() {
    long seed = Long.getLong("holdfast.seed", System.nanoTime());
    System.out.println("seed (-Dholdfast.seed): " + seed);
    return seed;
  }
}
