package dev.holdfast.loader.internal.pipeline;

import dev.holdfast.loader.pipeline.FailurePolicy;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A whole pipeline as it was described. The fields' names stand in the paths of serialization
 * errors.
 *
 * @param source where the items come from
 * @param continuous whether the next pass begins before it is asked for
 * @param steps what happens to them
 * @param failures what a failed item means
 */
@SuppressWarnings("serial") // whether the source can cross is checked when it does
public record Plan(
    Iterable<?> source, boolean continuous, ArrayList<Step> steps, FailurePolicy failures)
    implements Serializable {
  private static final long serialVersionUID = 1L;

  /** Begins a plan. */
  public static Plan of(Iterable<?> source) {
    return new Plan(source, false, new ArrayList<>(), FailurePolicy.drop());
  }

  /** Returns this plan with a step more. */
  public Plan with(Step step) {
    ArrayList<Step> more = new ArrayList<>(steps);
    more.add(step);
    return new Plan(source, continuous, more, failures);
  }

  /** Returns this plan with its last step replaced. */
  public Plan replacingLast(Step step) {
    ArrayList<Step> others = new ArrayList<>(steps);
    others.set(others.size() - 1, step);
    return new Plan(source, continuous, others, failures);
  }

  /** Returns the last step, or null. */
  public @Nullable Step last() {
    return steps.isEmpty() ? null : steps.getLast();
  }

  /** Returns the regions in their order. */
  public List<Step.Region> regions() {
    return steps.stream()
        .filter(Step.Region.class::isInstance)
        .map(Step.Region.class::cast)
        .toList();
  }
}
