package dev.holdfast.acceptance.iterate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.WorkerFailedException;
import dev.holdfast.loader.WorkerSource;
import dev.holdfast.testkit.Leftovers;
import java.io.FileNotFoundException;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The end of the data, errors of the source, and nothing at all are told apart. R66 */
@SuppressWarnings("EnumOrdinal") // the place of an item
@ExtendWith(Leftovers.class)
@Timeout(300)
final class EndsAndErrorsTest {
  private static final int UNITS = 4;

  /** What happens in a pass of {@link #misbehaving}, by the pass's number. */
  private enum Misdeed {
    NEXT_AT_0(0, "next 0"),
    NEXT_AT_1(1, "next 1"),
    NEXT_AT_LAST(UNITS - 1, "next 3"),
    HAS_NEXT_AT_0(0, "hasNext 0"),
    HAS_NEXT_AT_2(2, "hasNext 2"),
    HAS_NEXT_AT_END(UNITS, "hasNext 4"),
    ITERATOR(0, "iterator"),
    NULL_ITERATOR(0, "the source's iterator is null"),
    NOTHING(UNITS, "");

    final int itemsBefore;
    final String message;

    Misdeed(int itemsBefore, String message) {
      this.itemsBefore = itemsBefore;
      this.message = message;
    }
  }

  private static WorkerSource<String> misbehaving() {
    return _ ->
        new Iterable<>() {
          private int passes;

          @Override
          public Iterator<String> iterator() {
            Misdeed misdeed = Misdeed.values()[passes++ % Misdeed.values().length];
            return switch (misdeed) {
              case ITERATOR -> throw new IllegalArgumentException("iterator");
              case NULL_ITERATOR -> null;
              default -> new Misbehaving(misdeed);
            };
          }
        };
  }

  private static final class Misbehaving implements Iterator<String> {
    private final Misdeed misdeed;
    private int next;

    Misbehaving(Misdeed misdeed) {
      this.misdeed = misdeed;
    }

    @Override
    public boolean hasNext() {
      failWhen("hasNext " + next);
      return next < UNITS;
    }

    @Override
    public String next() {
      failWhen("next " + next);
      return "item " + next++;
    }

    private void failWhen(String where) {
      if (misdeed.message.equals(where)) {
        throw Feeds.<RuntimeException>sneak(new FileNotFoundException(where));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void errorOfTheSourceComesAfterAllEarlierItemsAndTheNextPassIsWhole(boolean withArena) {
    try (SubprocessIterable<String> items =
        Subprocess.iterate(misbehaving(), Feeds.options(withArena).build())) {
      for (int round = 0; round < 3; round++) {
        for (Misdeed misdeed : Misdeed.values()) {
          Iterator<String> iterator = items.iterator();
          for (int i = 0; i < misdeed.itemsBefore; i++) {
            assertEquals("item " + i, iterator.next(), misdeed::name);
          }
          if (misdeed != Misdeed.NOTHING) {
            assertFailure(misdeed, iterator);
          }
          assertFalse(iterator.hasNext());
          assertThrows(NoSuchElementException.class, iterator::next);
          assertThrows(NoSuchElementException.class, iterator::next);
          assertFalse(iterator.hasNext());
        }
      }
    }
  }

  private static void assertFailure(Misdeed misdeed, Iterator<String> iterator) {
    assertTrue(iterator.hasNext());
    assertTrue(iterator.hasNext());
    WorkerFailedException failed = assertThrows(WorkerFailedException.class, iterator::next);
    assertEquals(misdeed.message, failed.facts().get("remoteMessage"));
    assertEquals((long) misdeed.itemsBefore, failed.facts().get("index"));
    String stack = failed.remote().orElseThrow().stackTrace();
    boolean ours = misdeed != Misdeed.NULL_ITERATOR;
    assertTrue(!ours || stack.contains("EndsAndErrorsTest"), stack);
    assertTrue(failed.getCause().toString().contains(misdeed.message), failed::toString);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void sourceThatCannotBeOpenedFailsTheCallAndLeavesNothing(boolean withArena) {
    WorkerSource<String> source =
        _ -> {
          throw new FileNotFoundException("no data set here");
        };
    WorkerFailedException failed =
        assertThrows(
            WorkerFailedException.class,
            () -> Subprocess.iterate(source, Feeds.options(withArena).build()));
    assertEquals("java.io.FileNotFoundException", failed.facts().get("remoteClass"));
    assertEquals("no data set here", failed.facts().get("remoteMessage"));
    assertTrue(failed.getMessage().startsWith("the source could not be opened"), failed::toString);
    WorkerSource<String> nothing = _ -> null;
    assertThrows(
        WorkerFailedException.class,
        () -> Subprocess.iterate(nothing, Feeds.options(withArena).build()));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void emptyPassesAndNullsAreNoErrors(boolean withArena) {
    WorkerSource<String> source =
        Feeds.passes(pass -> pass % 4, (_, index) -> index == 1 ? null : "item " + index);
    try (SubprocessIterable<String> items =
        Subprocess.iterate(source, Feeds.options(withArena).build())) {
      for (int pass = 0; pass < 12; pass++) {
        Iterator<String> iterator = items.iterator();
        for (int index = 0; index < pass % 4; index++) {
          for (int i = 0; i < 10; i++) {
            assertTrue(iterator.hasNext());
          }
          if (index == 1) {
            assertNull(iterator.next());
          } else {
            assertEquals("item " + index, iterator.next());
          }
        }
        for (int i = 0; i < 10; i++) {
          assertFalse(iterator.hasNext());
          assertThrows(NoSuchElementException.class, iterator::next);
        }
      }
    }
  }

  @Test
  void onlyTheIterableCrossesAndPlainCollectionsAreSources() {
    try (SubprocessIterable<Integer> items =
        Subprocess.iterate(WorkerSource.of(Arrays.asList(1, null, 3)))) {
      assertEquals(Arrays.asList(1, null, 3), Feeds.all(items));
    }
    try (SubprocessIterable<String> items =
        Subprocess.iterate(WorkerSource.supplied(() -> List.of("a", "b")))) {
      assertEquals(List.of("a", "b"), Feeds.all(items));
      assertEquals(List.of("a", "b"), Feeds.all(items));
    }
  }
}
