package dev.holdfast.loader.pipeline;

import java.io.Serializable;

/**
 * What an item that fails in a stage means for the pass. A result that still aliases an input which
 * has ended, a source that fails and the death of a worker end the pass whatever the policy.
 *
 * @param limit how many failed items a pass may drop
 */
public record FailurePolicy(long limit) implements Serializable {
  private static final long serialVersionUID = 1L;

  /**
   * Checks the limit.
   *
   * @param limit how many failed items a pass may drop
   * @throws IllegalArgumentException when the limit is negative
   */
  public FailurePolicy {
    if (limit < 0) {
      throw new IllegalArgumentException("a limit is not negative: limit=" + limit);
    }
  }

  /**
   * Drops and counts items that fail, and goes on. The default.
   *
   * @return the policy
   */
  public static FailurePolicy drop() {
    return new FailurePolicy(Long.MAX_VALUE);
  }

  /**
   * Drops and counts so many items in each pass, and fails at the next one.
   *
   * @param limit how many
   * @return the policy
   * @throws IllegalArgumentException when the limit is negative
   */
  public static FailurePolicy dropUpTo(long limit) {
    return new FailurePolicy(limit);
  }

  /**
   * Fails at the first item that fails.
   *
   * @return the policy
   */
  public static FailurePolicy fail() {
    return new FailurePolicy(0);
  }
}
