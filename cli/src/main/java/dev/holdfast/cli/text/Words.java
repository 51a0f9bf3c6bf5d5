package dev.holdfast.cli.text;

import java.util.Locale;

/** Small pieces of text. */
public final class Words {
  /** What stands where a figure or a fact could not be found out. */
  public static final String UNKNOWN = "unknown";

  private Words() {}

  /**
   * Returns a constant's name as options and reports have it.
   *
   * @param constant the constant
   * @return its name in lower case
   */
  public static String lower(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  /**
   * Returns a failure in one line.
   *
   * @param failure the failure
   * @return the simple name of its class and its message
   */
  public static String summary(Throwable failure) {
    String message = failure.getMessage();
    String type = failure.getClass().getSimpleName();
    return message == null || message.isBlank() ? type : type + ": " + oneLine(message);
  }

  /**
   * Returns a text as one line.
   *
   * @param text any text
   * @return the text with one blank for each run of blanks and line ends
   */
  public static String oneLine(String text) {
    return text.strip().replaceAll("\\s+", " ");
  }

  /**
   * Returns a figure as reports have it.
   *
   * @param format as for {@link String#format(String, Object...)}, with one number
   * @param value the figure, NaN when it could not be found out
   * @return the text, "unknown" for NaN
   */
  public static String figure(String format, double value) {
    return Double.isNaN(value) ? UNKNOWN : format(format, value);
  }

  /**
   * Formats numbers the same way in every country.
   *
   * @param format as for {@link String#format(String, Object...)}
   * @param values what to format
   * @return the text
   */
  @SuppressWarnings("AnnotateFormatMethod") // the annotation would be a dependency
  public static String format(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
