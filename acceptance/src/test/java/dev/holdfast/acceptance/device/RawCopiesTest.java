package dev.holdfast.acceptance.device;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.arena.SharedMemoryRingBuffer;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.arena.StorageHold;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.cuda.CudaPagePinner;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Rounds;
import dev.holdfast.testkit.Stamps;
import dev.holdfast.testkit.cuda.StubDriver;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Copies that a program asks the driver for by itself, on a stream that is busy until view and
 * lease are gone and other units have been written. R100 on the stub driver or a real one.
 */
@ExtendWith(Leftovers.class)
class RawCopiesTest {
  private static final int AT_A_TIME = 4;
  private static final int SLICED_AT = 4096;

  private Optional<StubDriver> stub = Optional.empty();
  private int size;

  /** A copy that the device has not made yet. */
  private record Asked(long unit, int from, StorageHold hold, long device) {}

  @BeforeEach
  void useDriver() {
    stub = Drivers.use();
    size = Integer.getInteger("holdfast.gpu.raw-bytes", stub.isPresent() ? 150_011 : 64 << 20);
  }

  @AfterEach
  void nothingIsWrongOrLeft() {
    stub.ifPresent(StubDriver::assertCleanAndOver);
  }

  private SharedMemoryArena arena(String kind) {
    int segments = AT_A_TIME + 2;
    CudaPagePinner pinner = CudaPagePinner.of(4L * segments * size + (64 << 20));
    return kind.equals("pool")
        ? SharedMemorySegmentPool.builder(size, segments).pinned(pinner).build()
        : SharedMemoryRingBuffer.builder((long) segments * size).pinned(pinner).build();
  }

  // R100
  @ParameterizedTest
  @ValueSource(strings = {"pool", "ring"})
  void aHoldKeepsTheSourceWhateverHappensToViewAndLease(String kind) throws Exception {
    int rounds = Rounds.of(500);
    try (RawDriver driver = new RawDriver();
        Feed feed = new Feed(arena(kind))) {
      for (int done = 0; done < rounds; done += AT_A_TIME) {
        CountDownLatch busy = new CountDownLatch(1);
        FutureTask<Void> writer;
        driver.then(() -> await(busy));
        List<Asked> copies = new ArrayList<>();
        try {
          for (int i = 0; i < AT_A_TIME; i++) {
            copies.add(ask(driver, feed, i % 2 * SLICED_AT));
          }
          writer = writer(feed);
        } finally {
          busy.countDown();
        }
        driver.synchronize();
        copies.forEach(copy -> copy.hold.close());
        Deadlines.result(writer);
        copies.forEach(copy -> verify(driver, copy));
      }
    }
  }

  /** Writes what there is room for, and more as soon as nothing is held any more. */
  private FutureTask<Void> writer(Feed feed) {
    long written = feed.arena().stats().published();
    FutureTask<Void> writer =
        Deadlines.start(
            "writer",
            () -> {
              feed.overwrite(2 * AT_A_TIME, size);
              return null;
            });
    Deadlines.assertEventually(
        "all free memory is written", () -> feed.arena().stats().published() >= written + 2);
    Deadlines.pause(Duration.ofMillis(3)); // for a writer that does not wait for the held memory
    return writer;
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private Asked ask(RawDriver driver, Feed feed, int from) {
    Feed.Received unit = feed.pass(ViewScope.CONFINED, size);
    MemorySegment view = unit.tensors().getFirst().segment().asSlice(from);
    StorageHold hold = StorageHold.of(view);
    long device = driver.allocate(view.byteSize());
    driver.copyToDevice(device, view.address(), view.byteSize());
    unit.lease().close();
    return new Asked(unit.unit(), from, hold, device);
  }

  private void verify(RawDriver driver, Asked copy) {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment again = arena.allocate(size - copy.from, 64);
      driver.copyToHost(again, copy.device);
      driver.synchronize();
      MemorySegment expected = Stamps.payload(size, copy.unit, 0).asSlice(copy.from);
      assertEquals(-1, expected.mismatch(again), () -> "unit " + copy.unit);
    }
    driver.free(copy.device);
  }
}
