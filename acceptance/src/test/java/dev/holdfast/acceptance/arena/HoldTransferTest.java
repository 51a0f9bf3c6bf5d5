package dev.holdfast.acceptance.arena;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.StorageHold;
import dev.holdfast.arena.UnitLease;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Stamps;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Views given to operations of the JDK by way of a hold, while the lease ends and the writer goes
 * on.
 */
@ExtendWith(Leftovers.class)
final class HoldTransferTest {
  private static final int SIZE = 1 << 20;

  @TempDir private Path folder;

  private interface Transfer {
    /** Sends the bytes somewhere and returns what arrived there. */
    byte[] send(ByteBuffer bytes) throws Exception;
  }

  // R18
  @Test
  void oneViewOfEachKindGoesThroughFileChannelAsynchronousFileChannelAndSocket() throws Exception {
    try (Rig rig = Pools.rig(SIZE, 3)) {
      for (ViewScope scope : ViewScope.values()) {
        for (Transfer transfer : new Transfer[] {this::toFile, this::toAsyncFile, this::toSocket}) {
          Opened[] opened = {rig.admitAndOpen(rig.write(SIZE), scope)};
          long stamp = opened[0].sent().stamp();
          StorageHold hold = StorageHold.of(opened[0].view().asSlice(64));
          opened[0].lease().close();
          opened[0] = null;
          rig.passThrough(2, SIZE);
          byte[] arrived = transfer.send(hold.buffer());
          MemorySegment expected = Stamps.payload(SIZE, stamp, 0).asSlice(64);
          assertArrayEquals(expected.toArray(ValueLayout.JAVA_BYTE), arrived);
          hold.close();
          if (scope == ViewScope.COLLECTED) {
            Deadlines.assertEventually(
                "the collected unit comes back",
                () -> {
                  System.gc();
                  return rig.reclaimed() == stamp + 3;
                });
          } else {
            Deadlines.assertEventually("the unit comes back", () -> rig.reclaimed() == stamp + 3);
          }
        }
      }
    }
  }

  private byte[] toFile(ByteBuffer bytes) throws IOException {
    Path file = folder.resolve("file");
    int size = bytes.remaining();
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      assertEquals(size, channel.write(bytes), "a full unit is written in one go");
    }
    return Files.readAllBytes(file);
  }

  private byte[] toAsyncFile(ByteBuffer bytes) throws Exception {
    Path file = folder.resolve("async");
    int size = bytes.remaining();
    try (AsynchronousFileChannel channel =
        AsynchronousFileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      Future<Integer> written = channel.write(bytes, 0);
      assertEquals(size, written.get(60, TimeUnit.SECONDS));
    }
    return Files.readAllBytes(file);
  }

  private byte[] toSocket(ByteBuffer bytes) throws Exception {
    InetAddress loopback = InetAddress.getLoopbackAddress();
    int size = bytes.remaining();
    try (ServerSocketChannel server = ServerSocketChannel.open()) {
      server.bind(new InetSocketAddress(loopback, 0));
      FutureTask<byte[]> receiver =
          Deadlines.start(
              "receiver",
              () -> {
                try (SocketChannel socket = server.accept()) {
                  return socket.socket().getInputStream().readNBytes(size);
                }
              });
      try (SocketChannel client = SocketChannel.open(server.getLocalAddress())) {
        while (bytes.hasRemaining()) {
          int sent = client.write(bytes);
          assertTrue(sent > 0);
        }
      }
      return Deadlines.result(receiver);
    }
  }

  // R18
  @Test
  void asynchronousWriteStartedBeforeTheLeaseEndedWritesTheRightBytes() throws Exception {
    try (Rig rig = Pools.rig(SIZE, 3);
        AsynchronousFileChannel channel =
            AsynchronousFileChannel.open(
                folder.resolve("async"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      for (int i = 0; i < 30; i++) {
        Opened opened = rig.admitAndOpen(rig.write(SIZE), ViewScope.CONFINED);
        StorageHold hold = StorageHold.of(opened.view());
        ByteBuffer buffer = hold.buffer();
        assertEquals(0, buffer.position());
        assertEquals(SIZE, buffer.limit());
        assertEquals(ByteOrder.LITTLE_ENDIAN, buffer.order());
        Future<Integer> written = channel.write(buffer, 0);
        opened.close();
        rig.passThrough(2, SIZE);
        assertEquals(SIZE, written.get(60, TimeUnit.SECONDS));
        hold.close();
        MemorySegment arrived = MemorySegment.ofArray(Files.readAllBytes(folder.resolve("async")));
        Stamps.verify(arrived, opened.sent().stamp(), 0);
        Deadlines.assertEventually(
            "the unit comes back", () -> rig.reclaimed() == rig.writer().published());
      }
    }
  }

  @Test
  void leaseInsideABlockedOperationClosesLaterAndDelaysNoOther() throws Exception {
    try (Rig rig = Pools.rig(8 << 20, 3);
        ServerSocketChannel server = ServerSocketChannel.open()) {
      server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      Opened blocked = rig.admitAndOpen(rig.write(8 << 20), ViewScope.SHARED);
      Opened free = rig.admitAndOpen(rig.write(100), ViewScope.SHARED);
      try (SocketChannel client = SocketChannel.open(server.getLocalAddress());
          SocketChannel peer = server.accept()) {
        FutureTask<Integer> writing =
            Deadlines.start("blocked", () -> client.write(blocked.view().asByteBuffer()));
        Deadlines.pause(Duration.ofMillis(300));
        assertFalse(writing.isDone(), "the socket takes 8 MiB without a reader");
        blocked.lease().close();
        assertFalse(blocked.lease().close(Duration.ofMillis(200)));
        assertEquals(UnitLease.State.CLOSING, blocked.lease().state());
        assertEquals(1, rig.arena.stats().closingLeases());
        assertEquals(0, rig.reclaimed());
        free.close();
        Thread.ofPlatform().daemon().start(() -> drain(peer));
        assertEquals(8 << 20, Deadlines.result(writing));
        assertTrue(blocked.lease().close(Duration.ofSeconds(60)));
      }
      Deadlines.assertEventually("both units are back", () -> rig.reclaimed() == 2);
    }
  }

  private static void drain(SocketChannel peer) {
    ByteBuffer sink = ByteBuffer.allocate(1 << 16);
    try {
      while (peer.read(sink.clear()) >= 0) {
        Thread.onSpinWait();
      }
    } catch (ClosedChannelException e) {
      return; // the test has seen enough
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
