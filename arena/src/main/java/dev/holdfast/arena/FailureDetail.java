package dev.holdfast.arena;

import java.io.Serializable;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The parts of an error message: what happened, the facts, and what to do next. Immutable; may be
 * shared between threads and crosses to other processes.
 */
public final class FailureDetail implements Serializable {
  private static final long serialVersionUID = 1L;

  private final String what;
  private final LinkedHashMap<String, Object> facts;
  private final String advice;

  private FailureDetail(String what, Map<String, Object> facts, String advice) {
    this.what = what;
    this.facts = new LinkedHashMap<>(facts);
    this.advice = advice;
  }

  /**
   * Starts a detail without facts and advice.
   *
   * @param what what happened, in lower case
   * @return the detail
   */
  public static FailureDetail of(String what) {
    return new FailureDetail(what, Map.of(), "");
  }

  /**
   * Returns this detail with one more fact at its end.
   *
   * @param name the fact's name, in camel case
   * @param value a string, a boxed number or a boolean; anything else is kept as its string
   * @return a new detail
   */
  public FailureDetail with(String name, Object value) {
    Map<String, Object> more = new LinkedHashMap<>(facts);
    boolean plain = value instanceof String || value instanceof Number || value instanceof Boolean;
    more.put(name, plain ? value : String.valueOf(value));
    return new FailureDetail(what, more, advice);
  }

  /**
   * Returns this detail with another advice.
   *
   * @param newAdvice what the reader can do
   * @return a new detail
   */
  public FailureDetail advise(String newAdvice) {
    return new FailureDetail(what, facts, newAdvice);
  }

  /**
   * Returns what happened.
   *
   * @return the first part of the message
   */
  public String what() {
    return what;
  }

  /**
   * Returns the facts in order.
   *
   * @return an unmodifiable map
   */
  public Map<String, Object> facts() {
    return Collections.unmodifiableMap(facts);
  }

  /**
   * Returns what to do.
   *
   * @return the last part of the message, perhaps empty
   */
  public String advice() {
    return advice;
  }

  /**
   * Returns the whole message: what happened, {@code name=value} pairs, what to do.
   *
   * @return the message
   */
  public String message() {
    StringBuilder text = new StringBuilder(what);
    String separator = ": ";
    for (Map.Entry<String, Object> fact : facts.entrySet()) {
      text.append(separator).append(fact.getKey()).append('=').append(fact.getValue());
      separator = " ";
    }
    if (!advice.isEmpty()) {
      text.append("; ").append(advice);
    }
    return text.toString();
  }

  @Override
  public String toString() {
    return message();
  }
}
