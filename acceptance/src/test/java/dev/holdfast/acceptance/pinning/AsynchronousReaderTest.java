package dev.holdfast.acceptance.pinning;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.holdfast.acceptance.device.Feed;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.arena.StorageHold;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.GcPressure;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Rounds;
import dev.holdfast.testkit.Stamps;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Readers that the JVM does not see: they have an address, or a buffer in the hands of a channel.
 */
@ExtendWith(Leftovers.class)
class AsynchronousReaderTest {
  private static final int SIZE = 300_007;
  private static final int AT_A_TIME = 10;
  private static final Duration DELAY = Duration.ofMillis(200);

  // R18, R100
  @Test
  void aReaderOfTheAddressIsRightLongAfterViewAndLeaseAreGoneWhenAHoldWasTaken() throws Exception {
    int rounds = Rounds.of(1000);
    try (Feed feed = new Feed(new SharedMemorySegmentPool(SIZE + 64, AT_A_TIME + 2))) {
      for (int done = 0; done < rounds; done += AT_A_TIME) {
        List<FutureTask<Void>> readers = new ArrayList<>();
        for (int i = 0; i < AT_A_TIME; i++) {
          readers.add(reader(feed));
        }
        feed.overwrite(1, SIZE); // more than that would have to wait for the held ones
        if (done % 50 == 0) {
          GcPressure.collect();
        }
        for (FutureTask<Void> reader : readers) {
          Deadlines.result(reader);
        }
        feed.overwrite(2 * AT_A_TIME, SIZE);
      }
    }
  }

  /** Passes a unit, keeps a hold and an address, and closes the lease. */
  private static FutureTask<Void> reader(Feed feed) {
    Feed.Received unit = feed.pass(ViewScope.CONFINED, SIZE);
    MemorySegment view = unit.tensors().getFirst().segment();
    long number = unit.unit();
    // A slice far from the start: what is held is the unit, not an address.
    StorageHold hold = StorageHold.of(view.asSlice(4096, 100));
    long address = view.address();
    unit.lease().close();
    return Deadlines.start(
        "foreign-reader",
        () -> {
          Deadlines.pause(DELAY);
          MemorySegment copy = MemorySegment.ofArray(new byte[SIZE]);
          @SuppressWarnings("restricted") // as a native library would read
          MemorySegment bytes = MemorySegment.ofAddress(address).reinterpret(SIZE);
          MemorySegment.copy(bytes, 0, copy, 0, SIZE);
          hold.close();
          Stamps.verify(copy, number, 0);
          return null;
        });
  }

  // R18
  @Test
  void aChannelWritesTheRightBytesFromTheBufferOfAHold() throws Exception {
    Path file = Files.createTempFile("async-reader", ".bin");
    int rounds = Rounds.of(200);
    try (Feed feed = new Feed(new SharedMemorySegmentPool(SIZE, 3));
        AsynchronousFileChannel channel =
            AsynchronousFileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      for (int round = 0; round < rounds; round++) {
        Feed.Received unit = feed.pass(ViewScope.CONFINED, SIZE);
        StorageHold hold = StorageHold.of(unit.tensors().getFirst().segment());
        ByteBuffer buffer = hold.buffer();
        assertEquals(0, buffer.position());
        assertEquals(SIZE, buffer.limit());
        Future<Integer> written = channel.write(buffer.duplicate(), 0);
        unit.lease().close();
        feed.overwrite(2, SIZE);
        assertEquals(SIZE, written.get(60, TimeUnit.SECONDS));
        hold.close(); // not before: the channel may not have begun
        ByteBuffer read = ByteBuffer.allocate(SIZE);
        assertEquals(SIZE, channel.read(read, 0).get(60, TimeUnit.SECONDS));
        Stamps.verify(MemorySegment.ofArray(read.array()), unit.unit(), 0);
      }
    } finally {
      Files.delete(file);
    }
  }
}
