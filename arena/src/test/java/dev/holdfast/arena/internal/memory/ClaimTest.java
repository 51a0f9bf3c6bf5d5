package dev.holdfast.arena.internal.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.Backing;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.arena.Side;
import dev.holdfast.arena.internal.os.ProcessIdentity;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ClaimTest {

  @Test
  void largestPidAndStartTimeComeBack() {
    ProcessIdentity holder = new ProcessIdentity((1 << 22) - 1, (1L << 40) - 1);
    for (Claim.Use use : Claim.Use.values()) {
      Claim claim = new Claim(holder, use);
      assertNotEquals(Claim.FREE, claim.encode());
      assertEquals(claim, Claim.decode(claim.encode()));
    }
  }

  @Test
  void ownClaimNamesThisProcess() {
    Claim claim = Claim.decode(Claim.own(Claim.Use.STREAMS).encode());
    assertEquals(ProcessHandle.current().pid(), claim.holder().pid());
    assertEquals(Claim.Use.STREAMS, claim.use());
  }

  // R38
  @Test
  void claimOfAProcessWhosePidAnotherOneHasNowIsTakenOver(@TempDir Path folder) throws IOException {
    ProcessIdentity self = ProcessIdentity.current();
    Path file = folder.resolve("arena");
    try (SharedMemorySegmentPool pool =
        SharedMemorySegmentPool.builder(100, 2).backing(Backing.file(file)).build()) {
      for (long startedEarlier : new long[] {0, 1}) {
        ProcessIdentity holder =
            new ProcessIdentity(self.pid(), self.startTicks() - startedEarlier);
        Claim claim = new Claim(holder, Claim.Use.STREAMS);
        write(file, ArenaLayout.WRITER_CLAIM_OFFSET, claim.encode());
        assertThrows(IllegalStateException.class, pool::openWriter);
        if (startedEarlier == 0) {
          assertTrue(Claim.decode(claim.encode()).holder().isAlive());
          assertThrows(IllegalStateException.class, () -> pool.takeOver(Side.WRITER));
        } else {
          assertFalse(Claim.decode(claim.encode()).holder().isAlive());
          pool.takeOver(Side.WRITER);
          pool.openWriter().close();
        }
      }
      pool.unlink();
    }
  }

  private static void write(Path file, long offset, long word) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      assertEquals(Long.BYTES, channel.write(bytes.putLong(0, word), offset));
    }
  }
}
