package dev.holdfast.testkit;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assertions;

/**
 * Reads JSON that a command wrote, strictly, so that a document that is none fails the test.
 * Objects become maps in their order, arrays lists, numbers doubles.
 */
public final class JsonReader {
  private final String text;
  private int at;

  private JsonReader(String text) {
    this.text = text;
  }

  /**
   * Reads a document that is an object.
   *
   * @param text the whole document
   * @return its fields
   */
  public static Map<String, Object> object(String text) {
    JsonReader reader = new JsonReader(text);
    Object value = reader.value();
    reader.blanks();
    if (reader.at != text.length() || !(value instanceof Map<?, ?> map)) {
      return Assertions.fail("not one JSON object: " + text);
    }
    return fields(map);
  }

  /**
   * Returns an object in a document.
   *
   * @param value what the document has there
   * @return its fields
   */
  public static Map<String, Object> fields(@Nullable Object value) {
    if (!(value instanceof Map<?, ?> map)) {
      return Assertions.fail("not a JSON object: " + value);
    }
    Map<String, Object> fields = new LinkedHashMap<>();
    map.forEach((name, field) -> fields.put(String.valueOf(name), field));
    return fields;
  }

  /**
   * Returns an array of objects in a document.
   *
   * @param value what the document has there
   * @return the objects' fields
   */
  public static List<Map<String, Object>> objects(@Nullable Object value) {
    if (!(value instanceof List<?> list)) {
      return Assertions.fail("not a JSON array: " + value);
    }
    return list.stream().map(JsonReader::fields).toList();
  }

  /**
   * Returns a number in a document.
   *
   * @param value what the document has there
   * @return the number
   */
  public static double number(@Nullable Object value) {
    return value instanceof Double number ? number : Assertions.fail("not a JSON number: " + value);
  }

  private @Nullable Object value() {
    blanks();
    return switch (peek()) {
      case '{' -> map();
      case '[' -> list();
      case '"' -> string();
      case 't' -> word("true", true);
      case 'f' -> word("false", false);
      case 'n' -> word("null", null);
      default -> numeral();
    };
  }

  private Map<String, @Nullable Object> map() {
    Map<String, @Nullable Object> map = new LinkedHashMap<>();
    take('{');
    blanks();
    while (peek() != '}') {
      if (!map.isEmpty()) {
        take(',');
        blanks();
      }
      String name = string();
      blanks();
      take(':');
      Assertions.assertFalse(map.containsKey(name), () -> "twice in one object: " + name);
      map.put(name, value());
      blanks();
    }
    take('}');
    return map;
  }

  private List<@Nullable Object> list() {
    List<@Nullable Object> list = new ArrayList<>();
    take('[');
    blanks();
    while (peek() != ']') {
      if (!list.isEmpty()) {
        take(',');
      }
      list.add(value());
      blanks();
    }
    take(']');
    return list;
  }

  private String string() {
    StringBuilder string = new StringBuilder();
    take('"');
    while (peek() != '"') {
      char c = text.charAt(at++);
      Assertions.assertTrue(c >= ' ', "a control character in a JSON string");
      string.append(c == '\\' ? escaped() : c);
    }
    take('"');
    return string.toString();
  }

  private char escaped() {
    char c = peek();
    at++;
    return switch (c) {
      case '"', '\\', '/' -> c;
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'u' -> {
        at += 4;
        yield (char) Integer.parseInt(text, at - 4, at, 16);
      }
      default -> Assertions.fail("not an escape in a JSON string: " + c);
    };
  }

  private @Nullable Object word(String word, @Nullable Object meaning) {
    Assertions.assertTrue(text.startsWith(word, at), () -> "not JSON: " + rest());
    at += word.length();
    return meaning;
  }

  private Double numeral() {
    int start = at;
    while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
    String numeral = text.substring(start, at);
    Assertions.assertTrue(
        numeral.matches("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?"),
        () -> "not a JSON number: " + rest());
    return Double.valueOf(numeral);
  }

  private void blanks() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  private char peek() {
    Assertions.assertTrue(at < text.length(), "the JSON document ends too soon");
    return text.charAt(at);
  }

  private void take(char expected) {
    Assertions.assertEquals(expected, peek(), () -> "not JSON: " + rest());
    at++;
  }

  private String rest() {
    return text.substring(at, Math.min(text.length(), at + 40));
  }
}
