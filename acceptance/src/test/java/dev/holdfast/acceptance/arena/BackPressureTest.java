package dev.holdfast.acceptance.arena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.AcquireTimeoutException;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.ProcSelf;
import dev.holdfast.testkit.Rounds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A writer in a process of its own that is faster than its consumer. R2 */
@ExtendWith(Leftovers.class)
final class BackPressureTest {
  private static final int SIZE = 1 << 20;

  @Test
  void slowConsumerGetsEveryUnitRight() {
    int units = Rounds.of(50);
    try (Rig rig = Pools.rig(SIZE, 2);
        RemoteEndpoint remote = RemoteEndpoint.attach(rig.arena)) {
      remote.send("write " + units + " " + SIZE);
      for (int i = 0; i < units; i++) {
        Sent sent = Sent.parse(remote.child().awaitLine("SENT "));
        assertEquals(i, sent.receipt().unit());
        try (Opened opened = rig.admitAndOpen(sent, ViewScope.CONFINED)) {
          Deadlines.pause(Duration.ofMillis(50));
          opened.verify();
        }
      }
      remote.answer();
      assertEquals(units, rig.reclaimed());
      remote.exit();
    }
  }

  @Test
  void waitingWriterUsesUnderTwoPercentOfACoreAndWakesPromptly() {
    try (Rig rig = Pools.rig(SIZE, 2);
        RemoteEndpoint remote = RemoteEndpoint.attach(rig.arena)) {
      remote.send("write 3 " + SIZE);
      Sent first = Sent.parse(remote.child().awaitLine("SENT "));
      Sent second = Sent.parse(remote.child().awaitLine("SENT "));
      Deadlines.pause(Duration.ofSeconds(2));
      long pid = remote.child().pid();
      List<Duration> windows = new ArrayList<>();
      for (int i = 0; i < 3 && windows.stream().noneMatch(BackPressureTest::small); i++) {
        Duration before = ProcSelf.cpuTime(pid);
        Deadlines.pause(Duration.ofSeconds(5));
        windows.add(ProcSelf.cpuTime(pid).minus(before));
      }
      assertTrue(windows.stream().anyMatch(BackPressureTest::small), windows::toString);
      long start = System.nanoTime();
      rig.admitAndDiscard(first);
      Sent third = Sent.parse(remote.child().awaitLine("SENT "));
      Duration wake = Duration.ofNanos(System.nanoTime() - start);
      assertTrue(wake.compareTo(Duration.ofSeconds(2)) < 0, wake::toString);
      rig.admitAndDiscard(second);
      rig.admitAndOpen(third, ViewScope.CONFINED).close();
      remote.answer();
      remote.exit();
    }
  }

  private static boolean small(Duration ofFiveSeconds) {
    return ofFiveSeconds.compareTo(Duration.ofMillis(100)) <= 0;
  }

  @Test
  void limitOf200MillisecondsEndsInTimeAndTheWriterGoesOnLater() {
    try (Rig rig = Pools.rig(SIZE, 2, Duration.ofMillis(200));
        RemoteEndpoint remote = RemoteEndpoint.attach(rig.arena)) {
      List<Sent> full = remote.write(2, SIZE);
      full.forEach(rig::admit);
      Opened held = rig.open(full.getFirst(), ViewScope.CONFINED);
      String message = remote.callFailing("write 1 " + SIZE, AcquireTimeoutException.class);
      assertTrue(message.contains("confined lease"), message);
      long waited = Long.parseLong(message.replaceAll(".*waitedMillis=(\\d+).*", "$1"));
      assertTrue(waited >= 200 && waited < 20_000, message);
      held.close();
      rig.admitAndOpen(remote.write(1, SIZE).getFirst(), ViewScope.CONFINED).close();
      rig.reader().discard(full.get(1).receipt());
      remote.exit();
    }
  }

  @Test
  void limitOfAgesNeitherOverflowsNorExpires() throws Exception {
    for (Duration ages :
        List.of(
            Duration.ofSeconds(Long.MAX_VALUE),
            Duration.ofDays(300 * 365),
            Duration.ofNanos(Long.MAX_VALUE))) {
      try (Rig rig = Pools.rig(4096, 1, ages)) {
        Sent full = rig.write(4096);
        FutureTask<Sent> waiting = Deadlines.start("writer", () -> rig.write(4096));
        Deadlines.pause(Duration.ofMillis(300));
        assertEquals(false, waiting.isDone());
        rig.admitAndDiscard(full);
        assertEquals(1, Deadlines.result(waiting).receipt().unit());
      }
    }
  }

  @Test
  void limitOfZeroFailsAtOnceInAnotherProcess() {
    try (Rig rig = Pools.rig(SIZE, 2, Duration.ZERO);
        RemoteEndpoint remote = RemoteEndpoint.attach(rig.arena)) {
      List<Sent> full = remote.write(2, SIZE);
      remote.callFailing("write 1 " + SIZE, AcquireTimeoutException.class);
      full.forEach(rig::admitAndDiscard);
      assertThrows(IllegalStateException.class, () -> rig.writer());
      remote.write(1, SIZE);
      remote.exit();
    }
  }
}
