package dev.holdfast.stress;

import dev.holdfast.testkit.Rounds;
import dev.holdfast.testkit.Tally;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;

/** How much the model checker tries. */
final class Interleavings {
  private static final int EACH = 100;
  private static final int FULL = 200;

  /** The checker's own start takes longer than these. */
  private static final int FEW = 16;

  private Interleavings() {}

  static void check(Class<?> model, ModelCheckingOptions options) {
    int scenarios = Rounds.of(FULL, FEW);
    options
        .threads(2)
        .actorsPerThread(3)
        .actorsBefore(2)
        .actorsAfter(2)
        .iterations(scenarios)
        .invocationsPerIteration(EACH)
        .check(model);
    Tally.INTERLEAVINGS.add((long) scenarios * EACH);
    System.out.printf(
        "%s: scenarios %d, interleavings up to %d%n",
        model.getSimpleName(), scenarios, scenarios * EACH);
  }
}
