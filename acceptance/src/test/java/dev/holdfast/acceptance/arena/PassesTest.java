package dev.holdfast.acceptance.arena;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.holdfast.arena.ViewScope;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Passes over data, in which the views of one pass live on in the next. R1 */
@ExtendWith(Leftovers.class)
final class PassesTest {
  private static final int SEGMENTS = 12;
  private static final int SIZE = 64 << 10;
  private static final int KEPT = 6;
  private static final int PASSES = 6;

  /** What the writer has sent already when a pass is left early. */
  private static final int LEFT = 4;

  private static final int[] UNITS = {8, 12, 13, 14, 15, 16, 17, 18, 25};

  /**
   * A consumer that keeps the last views of each pass and checks them in the middle of the next
   * one.
   */
  private static final class Consumer {
    private final Rig rig;
    private final Deque<Opened> kept = new ArrayDeque<>();
    private final Deque<Opened> earlier = new ArrayDeque<>();

    Consumer(Rig rig) {
      this.rig = rig;
    }

    void beginPass() {
      rig.reader().reset();
      earlier.addAll(kept);
      kept.clear();
    }

    void take(Sent sent) {
      kept.add(rig.admitAndOpen(sent, ViewScope.CONFINED));
      if (kept.size() > KEPT) {
        kept.remove().verify().close();
      }
      if (!earlier.isEmpty()
          && sent.receipt().unit() - earlier.getFirst().sent().receipt().unit() >= SEGMENTS - 5) {
        releaseEarlier();
      }
    }

    private void releaseEarlier() {
      Deadlines.pause(Duration.ofMillis(5));
      earlier.forEach(opened -> opened.verify().close());
      earlier.clear();
    }

    void end() {
      releaseEarlier();
      kept.forEach(opened -> opened.verify().close());
    }
  }

  @Test
  void keptViewsStayRightThroughPassesOfAnyLength() throws Exception {
    for (int units : UNITS) {
      try (Rig rig = Pools.rig(SIZE, SEGMENTS)) {
        Consumer consumer = new Consumer(rig);
        for (int pass = 0; pass < PASSES; pass++) {
          rig.nextEpoch();
          consumer.beginPass();
          runPass(rig, consumer, units, units);
        }
        consumer.end();
        assertEquals(6L * units, rig.reclaimed());
      }
    }
  }

  @Test
  void passLeftEarlyGivesItsRestBackAndTheNextOneIsWhole() throws Exception {
    for (int units : UNITS) {
      try (Rig rig = Pools.rig(SIZE, SEGMENTS)) {
        Consumer consumer = new Consumer(rig);
        for (int pass = 0; pass < PASSES; pass++) {
          rig.nextEpoch();
          consumer.beginPass();
          int wanted = pass % 2 == 0 ? 3 : units + pass;
          runPass(rig, consumer, wanted + LEFT, wanted);
        }
        consumer.end();
        assertEquals(rig.writer().published(), rig.reclaimed());
      }
    }
  }

  private static void runPass(Rig rig, Consumer consumer, int units, int wanted) throws Exception {
    BlockingQueue<Sent> channel = new LinkedBlockingQueue<>(3);
    FutureTask<Void> writer =
        Deadlines.start(
            "writer",
            () -> {
              for (int i = 0; i < units; i++) {
                channel.put(rig.write(SIZE));
              }
              return null;
            });
    for (int i = 0; i < units; i++) {
      Sent sent = channel.take();
      if (i < wanted) {
        consumer.take(sent);
      } else {
        rig.admitAndDiscard(sent);
      }
    }
    Deadlines.result(writer);
  }

  @Test
  void writerProcessStartsTheNextPassOnItsOwnWhileViewsAreHeld() {
    try (Rig rig = Pools.rig(SIZE, SEGMENTS);
        RemoteEndpoint remote = RemoteEndpoint.attach(rig.arena)) {
      Consumer consumer = new Consumer(rig);
      remote.call("writer");
      for (int units : UNITS) {
        remote.send("reset");
        remote.send("write " + units + " " + SIZE);
      }
      for (int units : UNITS) {
        consumer.beginPass();
        for (int i = 0; i < units; i++) {
          consumer.take(Sent.parse(remote.child().awaitLine("SENT ")));
        }
      }
      consumer.end();
      remote.answer();
      assertEquals(138, rig.reclaimed());
      remote.exit();
    }
  }
}
