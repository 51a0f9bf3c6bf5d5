package dev.holdfast.loader.internal.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Rounds;
import java.lang.foreign.Arena;
import java.util.SplittableRandom;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A producer and a consumer that run and wait at the same time. */
class ChannelThreadsTest {

  @Test
  void everyRecordCrossesOnceAndInOrderThroughNativeMemory() throws Exception {
    try (Arena arena = Arena.ofShared()) {
      soak(Ends.offHeap(arena, 4096, 5), Rounds.of(2_000_000), false);
    }
  }

  @Test
  void everyRecordCrossesOnceAndInOrderThroughTheHeap() throws Exception {
    soak(Ends.onHeap(1024, 2), Rounds.of(300_000), false);
  }

  @Test
  void virtualThreadsCanBeBothEnds() throws Exception {
    try (Arena arena = Arena.ofShared()) {
      soak(Ends.offHeap(arena, 1024, 2), Rounds.of(100_000), true);
    }
  }

  // wakes that are missed would each cost a slice of 100 ms
  @Test
  void pingPongMissesNoWake() throws Exception {
    int rounds = Rounds.of(200_000);
    try (Arena arena = Arena.ofShared()) {
      Ends there = Ends.offHeap(arena, 512, 1);
      Ends back = Ends.offHeap(arena, 512, 1);
      long start = System.nanoTime();
      FutureTask<Boolean> echo =
          Deadlines.start(
              "echo",
              () -> {
                for (int i = 0; i < rounds; i++) {
                  receive(there);
                  send(back, i, 8);
                }
                return true;
              });
      for (int i = 0; i < rounds; i++) {
        send(there, i, 8);
        receive(back);
        assertEquals(i, back.receiver().one());
      }
      assertTrue(Deadlines.result(echo));
      long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start);
      // half of the rounds with a missed wake would take far longer
      assertTrue(seconds < 30 + rounds / 50, () -> "seconds=" + seconds);
    }
  }

  private static void soak(Ends ends, int rounds, boolean virtual) throws Exception {
    FutureTask<Boolean> producer =
        new FutureTask<>(
            () -> {
              SplittableRandom random = new SplittableRandom(3);
              for (int i = 0; i < rounds; i++) {
                send(ends, i, size(random));
              }
              return true;
            });
    var _ =
        virtual
            ? Thread.startVirtualThread(producer)
            : Thread.ofPlatform().daemon().start(producer);
    FutureTask<Boolean> consumer =
        new FutureTask<>(
            () -> {
              SplittableRandom random = new SplittableRandom(3);
              for (int i = 0; i < rounds; i++) {
                receive(ends);
                assertEquals(i, ends.receiver().one());
                Ends.assertBody(i, size(random), ends.receiver().body());
              }
              return true;
            });
    var _ =
        virtual
            ? Thread.startVirtualThread(consumer)
            : Thread.ofPlatform().daemon().start(consumer);
    assertTrue(consumer.get(10, TimeUnit.MINUTES));
    assertTrue(producer.get(1, TimeUnit.MINUTES));
    ends.assertEmpty();
  }

  private static int size(SplittableRandom random) {
    return random.nextInt(50) == 0 ? random.nextInt(10_000) : random.nextInt(100);
  }

  private static void send(Ends ends, long number, int size) {
    ends.sender()
        .prepare(1, number, 0, Ends.body(number, size), 0, true, ChannelThreadsTest::noCheck);
    ends.sender().publish();
  }

  private static void receive(Ends ends) {
    assertTrue(ends.receiver().receive(Long.MAX_VALUE, ChannelThreadsTest::noCheck));
  }

  private static void noCheck() {}
}
