package dev.holdfast.arena.internal.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class WaitWordTest {
  private static final long SIGNAL = 0;
  private static final long WAITING = 128;

  private int wakes;
  private boolean refused;
  private final SharedWords words =
      new HeapWords(256) {
        @Override
        public void wake(long offset) {
          assertEquals(SIGNAL, offset);
          if (refused) {
            throw new OutOfMemoryError("planted");
          }
          wakes++;
        }
      };
  private final WaitWord word = new WaitWord(words, WAITING, SIGNAL);

  private int seen() {
    return words.getIntVolatile(SIGNAL);
  }

  @Test
  void nobodyIsWokenWhoDoesNotWait() {
    word.signal();
    assertEquals(0, wakes);
    assertEquals(0, seen(), "nor is the signal bumped for nobody");
    assertFalse(word.isAnnounced());
  }

  @Test
  void aWaitIsWokenOnceHoweverMuchPassesBeforeTheWaiterRuns() {
    word.announce(WaitWord.number(5));
    for (int i = 0; i < 64; i++) {
      word.signal();
    }
    assertEquals(1, wakes);
    assertEquals(1, seen());
    assertTrue(word.isAnnounced(), "the word is the waiter's alone");
  }

  @Test
  void everyWaitBehindAWakeIsAnotherOne() {
    words.setIntVolatile(SIGNAL, -70);
    for (int wait = 1; wait <= 140; wait++) { // over 0, whose number is everybody's
      word.announce(WaitWord.number(seen()));
      word.signal();
      assertEquals(wait, wakes);
      word.announce(WaitWord.NOBODY);
    }
  }

  @Test
  void aWaitThatBeginsAgainUnwokenIsWoken() {
    word.announce(WaitWord.number(seen()));
    word.announce(WaitWord.NOBODY);
    word.announce(WaitWord.number(seen()));
    word.signal();
    assertEquals(1, wakes);
  }

  @Test
  void severalWaitersAreWokenEachTime() {
    word.announce(WaitWord.SOMEBODY);
    for (int i = 1; i <= 3; i++) {
      word.signal();
      assertEquals(i, wakes);
    }
  }

  @Test
  void aWakeThatFailedIsMadeAgain() {
    word.announce(WaitWord.number(5));
    refused = true;
    assertThrows(OutOfMemoryError.class, word::signal);
    refused = false;
    word.signal();
    assertEquals(1, wakes);
  }
}
