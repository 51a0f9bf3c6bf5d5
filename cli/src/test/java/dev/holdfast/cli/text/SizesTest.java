package dev.holdfast.cli.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class SizesTest {
  @ParameterizedTest
  @CsvSource({"1,1", "17B,17", "64KiB,65536", "1m,1048576", "8 MiB,8388608", "3GiB,3221225472"})
  void aSizeIsANumberAndAUnit(String text, long bytes) {
    assertEquals(bytes, Sizes.parse(text));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "0", "0KiB", "-1", "1.5MiB", "KiB", "12 apples", "999999999999GiB"})
  void anythingElseIsBadUsage(String text) {
    assertThrows(UsageException.class, () -> Sizes.parse(text));
  }

  @Test
  void aSizeIsWrittenWithItsLargestUnit() {
    for (long bytes : new long[] {1, 1000, 1024, 65536, 33554432, 1L << 31, 1500}) {
      assertEquals(bytes, Sizes.parse(Sizes.format(bytes)));
    }
    assertEquals("64KiB", Sizes.format(65536));
    assertEquals("1000B", Sizes.format(1000));
  }
}
