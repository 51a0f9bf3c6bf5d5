package dev.holdfast.cli.text;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes maps, lists, arrays of double, strings, numbers, booleans and null as JSON, two spaces to
 * a level. Doubles have as many digits as tell them apart; those that JSON cannot say become null.
 */
public final class Json {
  private static final int FIRST_PRINTABLE = 0x20;

  private final StringBuilder text = new StringBuilder();

  private Json() {}

  /**
   * Returns a value as a JSON document.
   *
   * @param value the value; map keys are taken as strings
   * @return the document with a line feed at its end
   * @throws IllegalArgumentException when a value has a type that is not listed above
   */
  public static String of(@Nullable Object value) {
    Json json = new Json();
    json.write(value, "\n");
    return json.text.append('\n').toString();
  }

  /**
   * Returns a whole number as a value of a document.
   *
   * @param number the number, NaN when it could not be found out
   * @return a long, or null for NaN
   */
  public static @Nullable Long whole(double number) {
    return Double.isNaN(number) ? null : Long.valueOf((long) number);
  }

  private void write(@Nullable Object value, String newLine) {
    switch (value) {
      case null -> text.append("null");
      case Boolean flag -> text.append(flag);
      case Double number -> text.append(Double.isFinite(number) ? number.toString() : "null");
      case Float number -> write(number.doubleValue(), newLine);
      case Number number -> text.append(number);
      case CharSequence string -> quote(string);
      case Map<?, ?> map -> object(map, newLine);
      case Iterable<?> list -> array(list, newLine);
      case double[] numbers -> numbers(numbers);
      default ->
          throw new IllegalArgumentException(
              "not a JSON value: class=" + value.getClass().getName());
    }
  }

  private void object(Map<?, ?> map, String newLine) {
    String inner = newLine + "  ";
    String separator = inner;
    text.append('{');
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      text.append(separator);
      quote(String.valueOf(entry.getKey()));
      text.append(": ");
      write(entry.getValue(), inner);
      separator = "," + inner;
    }
    text.append(map.isEmpty() ? "" : newLine).append('}');
  }

  private void array(Iterable<?> list, String newLine) {
    String inner = newLine + "  ";
    String separator = inner;
    text.append('[');
    for (Object element : list) {
      text.append(separator);
      write(element, inner);
      separator = "," + inner;
    }
    text.append(separator.equals(inner) ? "" : newLine).append(']');
  }

  private void numbers(double[] numbers) {
    String separator = "";
    text.append('[');
    for (double number : numbers) {
      text.append(separator);
      write(number, "");
      separator = ", ";
    }
    text.append(']');
  }

  private void quote(CharSequence string) {
    text.append('"');
    for (int i = 0; i < string.length(); i++) {
      char c = string.charAt(i);
      switch (c) {
        case '"' -> text.append("\\\"");
        case '\\' -> text.append("\\\\");
        case '\n' -> text.append("\\n");
        case '\r' -> text.append("\\r");
        case '\t' -> text.append("\\t");
        default -> {
          if (c < FIRST_PRINTABLE || Character.isSurrogate(c)) {
            text.append(String.format("\\u%04x", (int) c));
          } else {
            text.append(c);
          }
        }
      }
    }
    text.append('"');
  }
}
