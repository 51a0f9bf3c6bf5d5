package dev.holdfast.acceptance.arena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.ArenaCorruptedException;
import dev.holdfast.arena.Side;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.PausePoints;
import dev.holdfast.testkit.Rounds;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Endpoints whose process was killed are replaced; nothing is lost but what was never published.
 */
@ExtendWith(Leftovers.class)
final class TakeoverTest {
  private static final int SIZE = 128 << 10;
  private static final int UNITS = 3;
  private static final List<ViewScope> SCOPES = List.of(ViewScope.values());
  private static final String[] POINTS = {
    "UNIT_BEGUN", "BINARY_HALF_COPIED", "UNIT_COPIED", "UNIT_COMMITTED_UNSENT"
  };

  @TempDir private Path folder;

  @Test
  void writerThatOutlivesItsArenaGivesItsSideBack() {
    try (Rig rig = Pools.rig(SIZE, UNITS);
        RemoteEndpoint remote = RemoteEndpoint.attach(rig.arena)) {
      Sent sent = remote.write(1, SIZE).getFirst();
      assertThrows(IllegalStateException.class, rig::writer);
      remote.call("close");
      rig.write(SIZE);
      rig.admitAndOpen(sent, ViewScope.CONFINED).close();
      remote.exit();
    }
  }

  @Test
  void readerIsNotReplacedWhileAWriterLivesInAThirdProcess() {
    try (Rig rig = Pools.rig(SIZE, UNITS);
        RemoteEndpoint writer = RemoteEndpoint.attach(rig.arena);
        RemoteEndpoint reader = RemoteEndpoint.attach(rig.arena)) {
      List<Sent> sent = writer.write(2, SIZE);
      reader.admitAndOpen(sent.getFirst(), ViewScope.CONFINED);
      reader.child().killAndAwait();
      IllegalStateException refused =
          assertThrows(IllegalStateException.class, () -> rig.arena.takeOver(Side.READER));
      assertTrue(refused.getMessage().contains("pid=" + writer.child().pid()), refused::toString);
      writer.call("close-writer");
      rig.arena.takeOver(Side.READER);
      rig.admitAndOpen(rig.write(SIZE), ViewScope.CONFINED).close();
      writer.exit();
    }
  }

  @Test
  void readerElsewhereGivesBackWhatADeadWriterLeftWhenItsNextPassBegins() throws Exception {
    try (Rig rig = Pools.rig(SIZE, 1);
        RemoteEndpoint writer = RemoteEndpoint.attach(rig.arena);
        RemoteEndpoint reader = RemoteEndpoint.attach(rig.arena)) {
      reader.call("reader");
      writer.write(1, SIZE);
      writer.child().killAndAwait();
      rig.arena.takeOver(Side.WRITER);
      FutureTask<Sent> next = Deadlines.start("writer", () -> rig.write(SIZE));
      reader.call("reset-reader");
      assertEquals(1, Deadlines.result(next).receipt().unit());
      reader.exit();
    }
  }

  @Test
  void writerKilledInMidUnitIsReplacedByANewProcess() {
    int rounds = Rounds.of(50);
    try (Rig rig = Pools.rig(SIZE, 12)) {
      Opened held = null;
      long published = 0;
      for (int round = 0; round < rounds; round++) {
        String point = POINTS[round % POINTS.length];
        boolean committed = point.equals("UNIT_COMMITTED_UNSENT");
        PausePoints points = PausePoints.in(folder);
        points.pause(committed ? "UNIT_BEGUN" : point, committed ? UNITS + 2 : UNITS + 1);
        try (RemoteEndpoint writer = RemoteEndpoint.attach(rig.arena, points.jvmArgument())) {
          writer.call("writer");
          List<Sent> sent = writer.write(UNITS, SIZE);
          for (Sent one : sent) {
            assertEquals(published++, one.receipt().unit());
            assertEquals(round, one.receipt().generation());
          }
          Sent lost = null;
          if (committed) {
            lost = writer.write(1, SIZE).getFirst();
            published++;
          }
          writer.send("write 1 " + SIZE);
          assertEquals(writer.child().pid(), points.awaitReached(committed ? "UNIT_BEGUN" : point));
          assertThrows(IllegalStateException.class, () -> rig.arena.takeOver(Side.WRITER));
          writer.child().killAndAwait();
          points.forget("UNIT_BEGUN");
          points.forget(point);
          sent.forEach(rig::admit);
          rig.arena.takeOver(Side.WRITER);
          if (held != null) {
            held.verify().close();
          }
          held = rig.open(sent.get(0), ViewScope.CONFINED);
          rig.open(sent.get(1), ViewScope.CONFINED).close();
          rig.reader().discard(sent.get(2).receipt());
          if (lost != null) {
            Sent late = lost;
            assertThrows(ArenaCorruptedException.class, () -> rig.admit(late));
          }
        }
      }
      held.verify().close();
      assertEquals(published, rig.writer().published());
      assertEquals(published, rig.reclaimed());
      rig.passThrough(13, SIZE);
    }
  }

  @Test
  void readerKilledWithThreeHeldUnitsIsReplacedByANewProcess() {
    int rounds = Rounds.of(50);
    try (Rig rig = Pools.rig(SIZE, 6)) {
      for (int round = 0; round < rounds; round++) {
        try (RemoteEndpoint reader = RemoteEndpoint.attach(rig.arena)) {
          reader.call("reader");
          List<Sent> sent = rig.writeMany(5, SIZE);
          for (int i = 0; i < 3; i++) {
            reader.admitAndOpen(sent.get(i), SCOPES.get((round + i) % 3));
          }
          reader.call("admit " + sent.get(3).text());
          reader.call("verify");
          assertThrows(IllegalStateException.class, () -> rig.arena.takeOver(Side.READER));
          assertEquals(5L * round, rig.reclaimed());
          reader.child().killAndAwait();
          rig.arena.takeOver(Side.READER);
          assertEquals(5L * (round + 1), rig.reclaimed());
        }
      }
      Sent next = rig.write(SIZE);
      assertEquals(rounds, next.receipt().generation());
      rig.admitAndOpen(next, ViewScope.CONFINED).close();
      rig.passThrough(13, SIZE);
    }
  }

  @Test
  void writerThatWaitsGoesOnWhenTheReadersDeathIsProved() throws Exception {
    try (Rig rig = Pools.rig(SIZE, 3);
        RemoteEndpoint reader = RemoteEndpoint.attach(rig.arena)) {
      reader.call("reader");
      for (Sent sent : rig.writeMany(3, SIZE)) {
        reader.admitAndOpen(sent, ViewScope.CONFINED);
      }
      FutureTask<Sent> waiting = Deadlines.start("writer", () -> rig.write(SIZE));
      reader.child().killAndAwait();
      Deadlines.pause(Duration.ofMillis(100));
      assertEquals(false, waiting.isDone());
      rig.arena.takeOver(Side.READER);
      Sent next = Deadlines.result(waiting);
      assertEquals(3, next.receipt().unit());
      rig.admitAndOpen(next, ViewScope.CONFINED).close();
    }
  }

  // B65
  @Test
  void writerKilledWhileItWaitsLeavesEveryCallOfTheReaderAlive() {
    try (Rig rig = Pools.rig(SIZE, 2);
        RemoteEndpoint writer = RemoteEndpoint.attach(rig.arena)) {
      writer.call("writer");
      writer.send("write 3 " + SIZE);
      List<Sent> sent = new ArrayList<>();
      sent.add(Sent.parse(writer.child().awaitLine("SENT ")));
      sent.add(Sent.parse(writer.child().awaitLine("SENT ")));
      Deadlines.pause(Duration.ofMillis(200));
      writer.child().killAndAwait();
      sent.forEach(one -> rig.admitAndOpen(one, ViewScope.CONFINED).close());
      rig.arena.shutdown();
      rig.arena.takeOver(Side.WRITER);
      assertEquals(2, rig.writer().published());
    }
  }

  @Test
  void stoppedProcessIsNotADeadOne() {
    try (Rig rig = Pools.rig(SIZE, 2);
        RemoteEndpoint writer = RemoteEndpoint.attach(rig.arena)) {
      writer.call("writer");
      writer.child().kill(ChildJvm.SIGSTOP);
      IllegalStateException alive =
          assertThrows(IllegalStateException.class, () -> rig.arena.takeOver(Side.WRITER));
      assertTrue(alive.getMessage().contains("pid=" + writer.child().pid()), alive::getMessage);
      writer.child().kill(ChildJvm.SIGCONT);
      rig.admitAndOpen(writer.write(1, SIZE).getFirst(), ViewScope.CONFINED).close();
      writer.exit();
    }
  }

  @Test
  void onlyTheOwnerTakesOverAndNothingHappensWhenNobodyHadClaimed() {
    try (Rig rig = Pools.rig(SIZE, 2);
        RemoteEndpoint remote = RemoteEndpoint.attach(rig.arena)) {
      rig.arena.takeOver(Side.WRITER);
      rig.arena.takeOver(Side.READER);
      assertEquals(0, rig.write(SIZE).receipt().generation());
      remote.callFailing("takeover WRITER", IllegalStateException.class);
      assertThrows(IllegalStateException.class, () -> rig.arena.takeOver(Side.WRITER));
      remote.exit();
    }
  }
}
