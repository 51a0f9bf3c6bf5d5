package dev.holdfast.loader.internal.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.HoldfastInterruptedException;
import dev.holdfast.arena.UnitReceipt;
import dev.holdfast.arena.UnitTooLargeException;
import dev.holdfast.testkit.Rounds;
import dev.holdfast.testkit.Seeds;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** One thread plays both ends: a sender that waits runs its check, which reads. */
class ChannelTest {
  private static final MemorySegment NOTHING = MemorySegment.ofArray(new byte[0]);

  private static final class GaveUp extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  private static void mustNotWait() {
    throw new AssertionError("waits");
  }

  private static void giveUp() {
    throw new GaveUp();
  }

  // R54, R55
  @Test
  void recordsOfEverySizeCrossAndNothingStallsAtTheEdge() {
    for (int capacity : new int[] {512, 520, 1000, 4096}) {
      Ends ends = Ends.onHeap(capacity, Long.MAX_VALUE);
      for (int size = 0; size <= 3 * capacity; size++) {
        sendAndCompare(ends, size, size);
      }
      ends.assertEmpty();
    }
  }

  // R54
  @Test
  void everyStartInTheRingTakesEverySizeThatFits() {
    int capacity = 512;
    for (int start = 0; start < capacity; start += 8) {
      for (int size = 0; size <= capacity; size += 7) {
        Ends ends = Ends.onHeap(capacity, Long.MAX_VALUE);
        advance(ends, start);
        sendAndCompare(ends, start + 1, size);
        ends.assertEmpty();
      }
    }
  }

  @Test
  void randomRecordsCrossInOrderWhileTheRingWrapsManyTimes() {
    Random random = new Random(Seeds.next());
    Ends ends = Ends.onHeap(4096, Long.MAX_VALUE);
    long[] read = {0};
    long sent = 0;
    int rounds = Rounds.of(1_000_000);
    for (int round = 0; round < rounds; round++) {
      if (ends.sender().isDrained() || random.nextBoolean()) {
        int size = random.nextInt(random.nextInt(20) == 0 ? 2000 : 200);
        MemorySegment body = Ends.body(sent, size);
        Runnable reading = () -> readAll(ends, read);
        if (random.nextInt(3) == 0) {
          ends.sender().sendAhead(1, sent, size, body, reading);
        } else {
          ends.sender().send(1, sent, size, body, reading);
        }
        sent++;
      } else {
        readOne(ends, read);
      }
    }
    while (read[0] < sent) {
      readOne(ends, read);
    }
    ends.assertEmpty();
  }

  @Test
  void numbersAndKindTravelWithEveryPiece() {
    Ends ends = Ends.onHeap(512, Long.MAX_VALUE);
    List<Boolean> arrived = new ArrayList<>();
    ends.sender()
        .send(
            77, Long.MIN_VALUE, -5, Ends.body(3, 5000), () -> arrived.add(ends.receiver().poll()));
    while (!arrived.contains(true)) {
      arrived.add(ends.receiver().poll());
    }
    assertEquals(77, ends.receiver().kind());
    assertEquals(Long.MIN_VALUE, ends.receiver().one());
    assertEquals(-5, ends.receiver().two());
    Ends.assertBody(3, 5000, ends.receiver().body());
  }

  @Test
  void aReceiptLiesAtTheEndOfItsRecordWhateverItsLength() {
    UnitReceipt receipt = new UnitReceipt(UUID.randomUUID(), 3, 1L << 40, 12345);
    Ends ends = Ends.onHeap(512, Long.MAX_VALUE);
    for (int size = 0; size < 2000; size++) {
      boolean[] arrived = {false};
      ends.sender()
          .prepare(
              1,
              0,
              0,
              Ends.body(size, size),
              UnitReceipt.BYTES,
              false,
              () -> arrived[0] |= ends.receiver().poll());
      assertFalse(arrived[0], "nothing arrives before its receipt");
      ends.sender().publish(receipt);
      while (!ends.receiver().poll()) {
        Thread.onSpinWait();
      }
      MemorySegment body = ends.receiver().body();
      assertEquals(receipt, UnitReceipt.decode(body, size));
      Ends.assertBody(size, size, body.asSlice(0, size));
    }
  }

  @Test
  void aCancelledRecordLeavesNothingBehind() {
    for (int size = 0; size < 3000; size += 7) {
      Ends ends = Ends.onHeap(512, Long.MAX_VALUE);
      ends.sender()
          .prepare(
              1, 0, 0, Ends.body(1, size), 40, false, () -> assertFalse(ends.receiver().poll()));
      ends.sender().cancel();
      sendAndCompare(ends, 2, 100);
      ends.assertEmpty();
    }
  }

  @Test
  void aRecordWhoseWaitIsGivenUpIsCancelledWithoutRoomToSpare() {
    for (int taken = 0; taken <= 512; taken += 8) {
      Ends ends = Ends.onHeap(512, Long.MAX_VALUE);
      int prefix = taken;
      if (prefix >= Frame.HEADER_BYTES && prefix <= 256) {
        ends.sender()
            .send(1, 0, 0, Ends.body(9, prefix - Frame.HEADER_BYTES), ChannelTest::mustNotWait);
      }
      assertThrows(
          GaveUp.class, () -> ends.sender().send(2, 0, 0, Ends.body(1, 5000), ChannelTest::giveUp));
      boolean first = ends.receiver().poll();
      assertEquals(prefix >= Frame.HEADER_BYTES && prefix <= 256, first, "the record before");
      sendAndCompare(ends, 3, 60);
      ends.assertEmpty();
    }
  }

  @Test
  void aRecordSentAheadIsCompleteAndTheNextOneWakesItsReader() {
    for (int size : new int[] {0, 100, 2000}) {
      Ends ends = Ends.onHeap(1000, 1);
      boolean[] arrived = {false};
      Runnable reading = () -> arrived[0] |= ends.receiver().poll();
      int signals = signals(ends);
      ends.words().setIntVolatile(ChannelLayout.CONSUMER_WAITING, 1);
      ends.sender().sendAhead(1, 7, size, Ends.body(7, size), reading);
      assertEquals(size > 1000 / 2, signals(ends) > signals, "it wakes for the pieces before only");
      ends.sender().cancel(); // of what is not there yet
      signals = signals(ends);
      item(ends, 8, reading);
      assertEquals(signals + 1, signals(ends));
      assertTrue(arrived[0] || ends.receiver().poll());
      assertEquals(7, ends.receiver().one());
      Ends.assertBody(7, size, ends.receiver().body());
      assertTrue(ends.receiver().poll());
      assertEquals(8, ends.receiver().one());
      ends.assertEmpty();
    }
  }

  private static int signals(Ends ends) {
    return ends.words().getIntVolatile(ChannelLayout.DATA_SIGNAL);
  }

  @Test
  void noMoreItemsAreUnreadThanTheLimit() {
    Ends ends = Ends.onHeap(4096, 3);
    for (int i = 0; i < 3; i++) {
      item(ends, i, ChannelTest::mustNotWait);
    }
    assertThrows(GaveUp.class, () -> item(ends, 3, ChannelTest::giveUp));
    ends.sender().send(5, 0, 0, NOTHING, ChannelTest::mustNotWait);
    assertTrue(ends.receiver().poll());
    item(ends, 3, ChannelTest::mustNotWait);
    assertThrows(GaveUp.class, () -> item(ends, 4, ChannelTest::giveUp));
    for (int i = 1; i < 5; i++) {
      assertTrue(ends.receiver().poll());
    }
    ends.assertEmpty();
  }

  @Test
  void aReceiverGivesUpAtItsLimitAndAnInterruptLosesNothing() {
    Ends ends = Ends.onHeap(512, Long.MAX_VALUE);
    assertFalse(ends.receiver().receive(TimeUnit.MILLISECONDS.toNanos(20), () -> {}));
    Thread.currentThread().interrupt();
    assertThrows(
        HoldfastInterruptedException.class,
        () -> ends.receiver().receive(Long.MAX_VALUE, () -> {}));
    assertTrue(Thread.interrupted(), "the flag stays set");
    ends.sender().send(1, 4, 0, Ends.body(4, 10), ChannelTest::mustNotWait);
    assertTrue(ends.receiver().receive(0, () -> {}));
    Ends.assertBody(4, 10, ends.receiver().body());
  }

  @Test
  void aRecordThatComesInPartGoesOnComingAfterAnInterrupt() {
    Ends ends = Ends.onHeap(512, Long.MAX_VALUE);
    int[] waits = {0};
    boolean[] arrived = {false};
    ends.sender()
        .send(
            1,
            0,
            0,
            Ends.body(8, 3000),
            () -> {
              if (waits[0]++ % 2 == 0) {
                Thread.currentThread().interrupt();
                while (true) {
                  try {
                    arrived[0] |= ends.receiver().receive(Long.MAX_VALUE, () -> {});
                  } catch (HoldfastInterruptedException e) {
                    break;
                  }
                }
                assertTrue(Thread.interrupted());
              }
            });
    while (!arrived[0]) {
      arrived[0] = ends.receiver().poll();
    }
    Ends.assertBody(8, 3000, ends.receiver().body());
  }

  @Test
  void longRecordsGiveTheirMemoryBack() {
    Ends ends = Ends.onHeap(4096, Long.MAX_VALUE);
    sendAndCompare(ends, 1, 3 << 20);
    ends.receiver().trim();
    assertEquals(0, ends.receiver().body().byteSize());
    sendAndCompare(ends, 2, 5000);
  }

  @Test
  void aRecordLongerThanAnArrayIsRefusedAtOnce() {
    Ends ends = Ends.onHeap(512, Long.MAX_VALUE);
    @SuppressWarnings("restricted") // only its size is looked at
    MemorySegment huge = Arena.global().allocate(0).reinterpret(3L << 30);
    assertThrows(
        UnitTooLargeException.class,
        () -> ends.sender().send(1, 0, 0, huge, ChannelTest::mustNotWait));
    ends.assertEmpty();
  }

  @Test
  void aCapacityThatCannotWorkIsRefused() {
    assertThrows(IllegalArgumentException.class, () -> Ends.onHeap(504, 1));
    assertThrows(IllegalArgumentException.class, () -> Ends.onHeap(1001, 1));
  }

  private static void item(Ends ends, long number, Runnable check) {
    ends.sender().prepare(1, number, 0, NOTHING, 0, true, check);
    ends.sender().publish();
  }

  private static void advance(Ends ends, int bytes) {
    int left = bytes;
    while (left > 0) {
      int frame = left >= 2 * Frame.HEADER_BYTES ? Frame.HEADER_BYTES : left;
      if (frame < Frame.HEADER_BYTES) {
        left += (int) ends.ring().byteSize();
        continue;
      }
      ends.sender()
          .send(1, 0, 0, Ends.body(0, frame - Frame.HEADER_BYTES), ChannelTest::mustNotWait);
      assertTrue(ends.receiver().poll());
      left -= frame;
    }
  }

  private static void sendAndCompare(Ends ends, long number, int size) {
    boolean[] arrived = {false};
    ends.sender()
        .send(1, number, size, Ends.body(number, size), () -> arrived[0] |= ends.receiver().poll());
    for (int tries = 0; !arrived[0] && tries < 10; tries++) {
      arrived[0] = ends.receiver().poll();
    }
    assertTrue(arrived[0], () -> "record of " + size + " bytes has arrived");
    assertEquals(number, ends.receiver().one());
    Ends.assertBody(number, size, ends.receiver().body());
  }

  private static void readAll(Ends ends, long[] read) {
    long before;
    do {
      before = read[0];
      readOne(ends, read);
    } while (read[0] > before);
  }

  private static void readOne(Ends ends, long[] read) {
    if (ends.receiver().poll()) {
      assertEquals(read[0], ends.receiver().one());
      int size = (int) ends.receiver().two();
      Ends.assertBody(read[0], size, ends.receiver().body());
      read[0]++;
    }
  }
}
