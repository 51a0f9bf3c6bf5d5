package dev.holdfast.arena;

import java.util.Map;

/**
 * What every exception of Holdfast can say about itself. Messages read: what happened, then {@code
 * name=value} pairs, then what to do; the same three parts are here for programs.
 */
public interface HoldfastFailure {

  /**
   * Returns the parts that the message was made of.
   *
   * @return the detail, immutable
   */
  FailureDetail detail();

  /**
   * Returns the facts in the order in which the message gives them.
   *
   * @return an unmodifiable map from the fact's name to its value, a string, a boxed number or a
   *     boolean
   */
  default Map<String, Object> facts() {
    return detail().facts();
  }

  /**
   * Returns what the reader can do about it.
   *
   * @return a sentence, or an empty string when there is nothing to advise
   */
  default String advice() {
    return detail().advice();
  }
}
