package dev.holdfast.loader.internal.region;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.ArenaCorruptedException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A result and what was said of it come one after the other. */
final class AnnouncedTest {
  private final Announced announced = new Announced();

  private static Answers answer(boolean hasValue) {
    return new Answers(hasValue, List.of(1L), List.of(), List.of(), List.of());
  }

  @Test
  void resultBelongsToTheAnswerBeforeIt() {
    Answers first = answer(true);
    assertTrue(announced.heard(first));
    assertTrue(announced.isThere());
    assertSame(first, announced.take());
    assertFalse(announced.heard(answer(false)));
    assertFalse(announced.isThere());
    announced.requireNone("the end");
  }

  @Test
  void resultThatAnswersNothingIsATypedError() {
    ArenaCorruptedException broken = assertThrows(ArenaCorruptedException.class, announced::take);
    assertEquals(1L, broken.facts().get("expected"));
    var _ = announced.heard(answer(true));
    var _ = announced.take();
    assertThrows(ArenaCorruptedException.class, announced::take);
  }

  @Test
  void nothingComesBetweenAnAnswerAndItsResult() {
    var _ = announced.heard(answer(true));
    for (boolean hasValue : new boolean[] {true, false}) {
      assertThrows(ArenaCorruptedException.class, () -> announced.heard(answer(hasValue)));
    }
    assertThrows(ArenaCorruptedException.class, () -> announced.requireNone("the end"));
    announced.clear();
    announced.requireNone("the end");
  }
}
