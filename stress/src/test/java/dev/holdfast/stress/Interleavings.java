package dev.holdfast.stress;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.testkit.Rounds;
import dev.holdfast.testkit.Tally;
import java.util.concurrent.atomic.AtomicLong;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionResult;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.verifier.LinearizabilityVerifier;
import org.jetbrains.lincheck.datastructures.verifier.Verifier;

/** How much the model checker tries. */
public final class Interleavings {
  private static final int EACH = 100;
  private static final int FULL = 200;

  /** The checker's own start takes longer than these. */
  private static final int FEW = 16;

  private Interleavings() {}

  static void check(Class<?> model, ModelCheckingOptions options) {
    int scenarios = Rounds.of(FULL, FEW);
    Counted.INVOCATIONS.set(0);
    options
        .threads(2)
        .actorsPerThread(3)
        .actorsBefore(2)
        .actorsAfter(2)
        .iterations(scenarios)
        .invocationsPerIteration(EACH)
        .verifier(Counted.class)
        .check(model);
    long invocations = Counted.INVOCATIONS.get();
    assertTrue(
        invocations >= scenarios && invocations <= (long) scenarios * EACH,
        () -> "interleavings " + invocations);
    Tally.INTERLEAVINGS.add(invocations);
    System.out.printf(
        "%s: scenarios %d, interleavings %d of %d at most%n",
        model.getSimpleName(), scenarios, invocations, scenarios * EACH);
  }

  /** Looks at the results of each interleaving that was tried, and counts them. */
  public static final class Counted implements Verifier {
    private static final AtomicLong INVOCATIONS = new AtomicLong();

    private final Verifier verifier;

    /** Made by the checker, for a class that is its own sequential specification. */
    public Counted(Class<?> specification) {
      verifier = new LinearizabilityVerifier(specification);
    }

    @Override
    public boolean verifyResults(ExecutionScenario scenario, ExecutionResult results) {
      INVOCATIONS.incrementAndGet();
      return verifier.verifyResults(scenario, results);
    }
  }
}
