package dev.holdfast.arena.internal.output;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class SizeClassesTest {

  @Test
  void classesAreFilledFromTheEndOfTheOneBefore() {
    for (int sizeClass = 0; sizeClass < SizeClasses.COUNT; sizeClass++) {
      long bytes = SizeClasses.bytes(sizeClass);
      assertEquals(0, bytes % 64);
      assertEquals(sizeClass, SizeClasses.of(bytes));
      if (sizeClass > 0) {
        assertEquals(sizeClass, SizeClasses.of(SizeClasses.bytes(sizeClass - 1) + 1));
      }
    }
    assertEquals(1L << 62, SizeClasses.bytes(SizeClasses.COUNT - 1));
  }

  @Test
  void atMostAFifthOfABufferIsUnused() {
    for (long bytes = 1024; bytes < 1 << 20; bytes += 7) {
      long buffer = SizeClasses.bytes(SizeClasses.of(bytes));
      assertTrue(bytes <= buffer && buffer - bytes <= buffer / 5, bytes + " in " + buffer);
    }
  }

  @Test
  void wholePowersOfTwoHaveAClassOfTheirOwnSize() {
    for (int power = 10; power <= 62; power++) {
      assertEquals(1L << power, SizeClasses.bytes(SizeClasses.of(1L << power)));
    }
  }
}
