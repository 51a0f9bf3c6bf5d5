package dev.holdfast.loader.internal.parent;

/** Derives workers' seeds, so that neighbours get unrelated ones (the finalizer of SplitMix64). */
final class Seeds {
  private static final long GOLDEN_GAMMA = 0x9E3779B97F4A7C15L;

  private Seeds() {}

  static long ofWorker(long seed, int index) {
    long z = seed + (index + 1) * GOLDEN_GAMMA;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }
}
