package dev.holdfast.loader.internal.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.ArenaCorruptedException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Numbers from the other side are checked before they are used. */
class ChannelCorruptionTest {
  private static final int CAPACITY = 512;
  private static final long[] NONSENSE = {
    -8, Long.MIN_VALUE, Long.MAX_VALUE - 7, CAPACITY + 8, 1L << 40, 12, 3
  };

  // R74
  @Test
  void aPublishedCountThatCannotBeTrueIsAnErrorNow_AndLater() {
    for (long value : NONSENSE) {
      Ends ends = Ends.onHeap(CAPACITY, 1);
      ends.words().setVolatile(ChannelLayout.PUBLISHED, value);
      assertThrows(ArenaCorruptedException.class, () -> ends.receiver().poll());
      ends.words().setVolatile(ChannelLayout.PUBLISHED, 0);
      assertThrows(
          ArenaCorruptedException.class,
          () -> ends.receiver().receive(Long.MAX_VALUE, ChannelCorruptionTest::noCheck));
    }
  }

  /** Behind frames that are true, so that nothing but the count itself can be noticed. */
  // R74
  @Test
  void aPublishedCountThatCannotBeTrueIsNotedWhateverTheRingHolds() {
    long record = Frame.bytes(16);
    for (long value :
        new long[] {record, 2 * record + 4, record + CAPACITY + 8, 1L << 40, -record}) {
      Ends ends = Ends.onHeap(CAPACITY, 1);
      ends.sender().send(1, 0, 0, Ends.body(0, 16), ChannelCorruptionTest::noCheck);
      ends.sender().send(1, 1, 0, Ends.body(1, 16), ChannelCorruptionTest::noCheck);
      assertTrue(ends.receiver().poll());
      assertEquals(2 * record, ends.receiver().publishedPosition());

      ends.words().setVolatile(ChannelLayout.PUBLISHED, value);

      assertEquals(value, corrupted(ends.receiver()::ready).facts().get("published"));
      ends.words().setVolatile(ChannelLayout.PUBLISHED, 2 * record);
      assertEquals(value, corrupted(ends.receiver()::poll).facts().get("published"));
      assertEquals(value, corrupted(ends.receiver()::publishedPosition).facts().get("published"));
    }
  }

  private static ArenaCorruptedException corrupted(Executable call) {
    return assertThrows(ArenaCorruptedException.class, call);
  }

  // R74
  @Test
  void aConsumedCountThatCannotBeTrueIsAnError() {
    for (long value : NONSENSE) {
      Ends ends = Ends.onHeap(CAPACITY, 1);
      ends.sender().send(1, 0, 0, Ends.body(0, 16), ChannelCorruptionTest::noCheck);
      ends.words().setVolatile(ChannelLayout.CONSUMED, value);
      assertThrows(
          ArenaCorruptedException.class,
          () -> ends.sender().send(1, 0, 0, Ends.body(0, 16), ChannelCorruptionTest::noCheck));
    }
  }

  // R74
  @Test
  void aCountOfItemsThatCannotBeTrueIsAnError() {
    Ends ends = Ends.onHeap(CAPACITY, 1);
    ends.words().setVolatile(ChannelLayout.ITEMS_CONSUMED, 5);
    assertThrows(
        ArenaCorruptedException.class,
        () ->
            ends.sender()
                .prepare(1, 0, 0, Ends.body(0, 8), 0, true, ChannelCorruptionTest::noCheck));
  }

  // R74
  @Test
  void everyFlippedByteOfAHeaderIsAnErrorOrARecordWithinTheRing() {
    for (int size : new int[] {0, 1, 60, 900}) {
      for (int at = 0; at < Frame.HEADER_BYTES; at++) {
        for (int flip : new int[] {1, 2, 4, 8, 16, 32, 64, 128, 255}) {
          flipOne(size, at, flip);
        }
      }
    }
  }

  @Test
  void anAnnouncedLengthIsNotBelievedBeyondMeasure() {
    Ends ends = Ends.onHeap(CAPACITY, 1);
    assertThrows(
        IllegalStateException.class,
        () ->
            ends.sender()
                .send(
                    1,
                    0,
                    0,
                    Ends.body(0, 900),
                    () -> {
                      throw new IllegalStateException("first pieces only");
                    }));
    ends.ring().set(ValueLayout.JAVA_LONG_UNALIGNED, Frame.REST, Long.MAX_VALUE - 5);
    assertThrows(ArenaCorruptedException.class, () -> ends.receiver().poll());
  }

  private static void flipOne(int size, int at, int flip) {
    Ends ends = Ends.onHeap(CAPACITY, 1);
    try {
      ends.sender().send(1, 0, 0, Ends.body(0, size), () -> giveUp());
    } catch (IllegalStateException e) {
      assertEquals("enough", e.getMessage());
    }
    MemorySegment ring = ends.ring();
    byte old = ring.get(ValueLayout.JAVA_BYTE, at);
    ring.set(ValueLayout.JAVA_BYTE, at, (byte) (old ^ flip));
    try {
      boolean complete = ends.receiver().poll();
      assertTrue(!complete || ends.receiver().body().byteSize() <= CAPACITY);
    } catch (ArenaCorruptedException e) {
      assertTrue(e.facts().containsKey("channel"), e.getMessage());
    }
  }

  private static void giveUp() {
    throw new IllegalStateException("enough");
  }

  private static void noCheck() {}
}
