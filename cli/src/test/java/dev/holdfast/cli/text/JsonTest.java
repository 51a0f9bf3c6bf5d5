package dev.holdfast.cli.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.holdfast.testkit.JsonReader;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class JsonTest {
  @Test
  void whatIsWrittenCanBeReadBack() {
    Map<String, Object> inner = new LinkedHashMap<>();
    inner.put("quote \" and backslash \\", "line\nfeed\ttab\r\u0001");
    inner.put("umlaut", "\u00fc \u4e2d");
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("inner", inner);
    document.put("flags", Arrays.asList(true, false, null));
    document.put("nothing", List.of());
    document.put("none", Map.of());
    document.put("number", 0.1 + 0.2);

    assertEquals(document, JsonReader.object(Json.of(document)));
  }

  @Test
  void numbersKeepEveryBit() {
    double[] numbers = {0.1, 1.0 / 3, 1e300, Double.MIN_VALUE, -0.0, 1.2345678901234568e17};

    Object read = JsonReader.object(Json.of(Map.of("numbers", numbers))).get("numbers");

    assertEquals(Arrays.stream(numbers).boxed().toList(), read);
  }

  @Test
  void numbersThatJsonCannotSayBecomeNull() {
    assertEquals("[null, null]\n", Json.of(new double[] {Double.NaN, Double.NEGATIVE_INFINITY}));
    assertEquals("null\n", Json.of(Double.POSITIVE_INFINITY));
  }

  @Test
  void wholeNumbersHaveNoPoint() {
    assertEquals("[\n  9007199254740993,\n  7\n]\n", Json.of(List.of(9007199254740993L, 7)));
  }

  @Test
  void halfACharacterIsEscaped() {
    assertEquals("\"\\ud800\"\n", Json.of("\ud800"));
  }

  @Test
  void anotherTypeIsRefused() {
    assertThrows(IllegalArgumentException.class, () -> Json.of(new Object()));
  }
}
