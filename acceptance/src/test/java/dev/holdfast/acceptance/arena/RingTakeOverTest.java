package dev.holdfast.acceptance.arena;

import static dev.holdfast.arena.ViewScope.CONFINED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.holdfast.arena.AcquireTimeoutException;
import dev.holdfast.arena.ArenaCorruptedException;
import dev.holdfast.arena.SharedMemoryRingBuffer;
import dev.holdfast.arena.Side;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.PausePoints;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What a process leaves of a ring when it is killed, and who goes on there. R34 */
@ExtendWith(Leftovers.class)
final class RingTakeOverTest {
  private static final int CAPACITY = 10_000;

  @TempDir Path folder;

  private static Rig rig() {
    return rig(Duration.ZERO);
  }

  private static Rig rig(Duration acquireTimeout) {
    return new Rig(SharedMemoryRingBuffer.builder(CAPACITY).acquireTimeout(acquireTimeout).build());
  }

  private static void kill(RemoteEndpoint remote) {
    remote.child().killAndAwait();
  }

  @Test
  void bytesStoredAheadOfTheirNumberAreGivenBackAndTheNextWriterBeginsBehindThem() {
    PausePoints points = PausePoints.in(folder).pause("BETWEEN_HEAD_AND_PUBLISHED", 3);
    try (Rig rig = rig();
        RemoteEndpoint writer = RemoteEndpoint.attach(rig.arena, points.jvmArgument())) {
      writer.call("writer");
      List<Sent> sent = writer.write(2, 1000);
      writer.send("write 1 5000");
      long pid = points.awaitReached("BETWEEN_HEAD_AND_PUBLISHED");
      assertEquals(writer.child().pid(), pid);
      Opened kept = rig.admitAndOpen(sent.get(0), CONFINED);
      assertThrows(IllegalStateException.class, () -> rig.arena.takeOver(Side.WRITER));
      kill(writer);
      rig.arena.takeOver(Side.WRITER);
      assertEquals(2, rig.writer().published());
      assertThrows(ArenaCorruptedException.class, () -> rig.admit(sent.get(1)));
      assertEquals(2, rig.reclaimed());
      Sent next = rig.write(CAPACITY);
      assertEquals(2, next.receipt().unit());
      assertEquals(7000, next.placements().getFirst().offset());
      rig.admitAndOpen(next, CONFINED).close();
      kept.verify().close();
      rig.passThrough(20, 3333);
    }
  }

  @Test
  void voidBytesGoBackInTheirTurn() {
    PausePoints points = PausePoints.in(folder).pause("BETWEEN_HEAD_AND_PUBLISHED", 2);
    try (Rig rig = rig();
        RemoteEndpoint writer = RemoteEndpoint.attach(rig.arena, points.jvmArgument())) {
      writer.call("writer");
      Sent first = rig.admit(writer.write(1, 1000).getFirst());
      writer.send("write 1 5000");
      points.awaitReached("BETWEEN_HEAD_AND_PUBLISHED");
      kill(writer);
      rig.arena.takeOver(Side.WRITER);
      assertEquals(0, rig.reclaimed());
      Sent second = rig.admit(rig.write(4000));
      assertThrows(AcquireTimeoutException.class, () -> rig.write(1));
      rig.open(second, CONFINED).close();
      assertThrows(AcquireTimeoutException.class, () -> rig.write(1));
      rig.open(first, CONFINED).close();
      assertEquals(2, rig.reclaimed());
      rig.admitAndOpen(rig.write(CAPACITY), CONFINED).close();
    }
  }

  @Test
  void readerThatOpensAfterTheTakeoverBeginsBehindWhatTheDeadWriterLeft() {
    PausePoints points = PausePoints.in(folder).pause("BETWEEN_HEAD_AND_PUBLISHED", 3);
    try (Rig rig = rig();
        RemoteEndpoint writer = RemoteEndpoint.attach(rig.arena, points.jvmArgument())) {
      writer.call("writer");
      Sent lost = writer.write(2, 1000).getFirst();
      writer.send("write 1 5000");
      points.awaitReached("BETWEEN_HEAD_AND_PUBLISHED");
      kill(writer);
      rig.arena.takeOver(Side.WRITER);
      Sent next = rig.write(3000);
      assertThrows(ArenaCorruptedException.class, () -> rig.admit(lost));
      rig.admitAndOpen(next, CONFINED).close();
      rig.admitAndOpen(rig.write(CAPACITY), CONFINED).close();
    }
  }

  @Test
  void deadReaderGivesAllBackAndTheNextOneBeginsAtTheHead() {
    try (Rig rig = rig();
        RemoteEndpoint reader = RemoteEndpoint.attach(rig.arena)) {
      reader.call("reader");
      Sent opened = rig.write(3000);
      Sent parcel = rig.write(3000);
      Sent unread = rig.write(3333);
      reader.call("admit " + opened.text());
      reader.call("admit " + parcel.text());
      reader.call("open " + parcel.text() + " CONFINED");
      rig.writer().beginUnit();
      var placements = rig.writeBinaries(667);
      assertThrows(IllegalStateException.class, () -> rig.arena.takeOver(Side.READER));
      kill(reader);
      rig.arena.takeOver(Side.READER);
      assertEquals(3, rig.reclaimed());
      Sent open = new Sent(rig.writer().commitUnit(), placements, 3, 0);
      assertThrows(ArenaCorruptedException.class, () -> rig.admit(unread));
      rig.admitAndOpen(open, CONFINED).close();
      rig.admitAndOpen(rig.write(CAPACITY), CONFINED).close();
      rig.passThrough(20, 3333);
    }
  }
}
