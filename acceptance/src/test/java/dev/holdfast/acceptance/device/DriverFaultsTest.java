package dev.holdfast.acceptance.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.HoldfastFailure;
import dev.holdfast.arena.SharedMemoryRingBuffer;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.arena.internal.life.Closer;
import dev.holdfast.arena.internal.life.Quarantine;
import dev.holdfast.arena.payload.Tensor;
import dev.holdfast.cuda.CudaPagePinner;
import dev.holdfast.cuda.DeviceException;
import dev.holdfast.cuda.DeviceTensor;
import dev.holdfast.cuda.DeviceToHost;
import dev.holdfast.cuda.HostToDevice;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.cuda.StubDriver;
import dev.holdfast.testkit.cuda.StubLog;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Every fault of the driver at every call of a whole life of a pinned arena: opened, filled, copied
 * to a device and back, closed. After each one the log must be clean, and nothing may be left.
 */
@ExtendWith(Leftovers.class)
class DriverFaultsTest {
  private static final long SEGMENT = 96 << 10;
  private static final long BUDGET = 32 << 20;
  private static final List<String> FAILING =
      List.of(
          "cuCtxPushCurrent=fail(201)",
          "cuCtxPopCurrent=fail(201)",
          "cuStreamCreate=fail(2)",
          "cuStreamDestroy=fail(999)",
          "cuStreamSynchronize=fail(999)",
          "cuStreamSynchronize=late(999)",
          "cuStreamWaitEvent=fail(999)",
          "cuEventCreate=fail(2)",
          "cuEventRecord=fail(999)",
          "cuEventDestroy=fail(999)",
          "cuMemAlloc=fail(2)",
          "cuMemFree=fail(999)",
          "cuMemHostRegister=fail(1)",
          "cuMemHostRegister=fail(2)",
          "cuMemHostRegister=fail(712)",
          "cuMemHostRegister=fail(801)",
          "cuMemHostUnregister=fail(999)",
          "cuMemHostUnregister=late(999)",
          "cuMemcpyHtoDAsync=fail(1)",
          "cuMemcpyHtoDAsync=late(999)",
          "cuMemcpyHtoDAsync=delay(30)",
          "cuMemcpyDtoHAsync=fail(1)",
          "cuMemcpyDtoHAsync=late(999)",
          "cuMemcpyDtoHAsync=delay(30)");

  private StubDriver stub;

  /** A pinned arena and what it says of itself. */
  private record Pinned(Feed feed, Function<Feed, Boolean> isPinned) {
    static Pinned pool() {
      SharedMemorySegmentPool pool =
          SharedMemorySegmentPool.builder(SEGMENT, 2).pinned(CudaPagePinner.of(BUDGET)).build();
      return new Pinned(new Feed(pool), feed -> pool.isPinned());
    }

    static Pinned ring() {
      SharedMemoryRingBuffer ring =
          SharedMemoryRingBuffer.builder(2 * SEGMENT).pinned(CudaPagePinner.of(BUDGET)).build();
      return new Pinned(new Feed(ring), feed -> ring.isPinned());
    }
  }

  @BeforeEach
  void useStub() {
    stub = Drivers.stub();
  }

  @Test
  void noFaultAtAnyCallOfAPoolsLifeLosesOrEndsAnythingTwice() throws Exception {
    inject(Pinned::pool);
  }

  @Test
  void noFaultAtAnyCallOfARingsLifeLosesOrEndsAnythingTwice() throws Exception {
    inject(Pinned::ring);
  }

  private void inject(Supplier<Pinned> arenas) throws Exception {
    List<HoldfastFailure> none = live(arenas, "");
    assertEquals(List.of(), none);
    StubLog usual = stub.log();
    int runs = 0;
    for (String fault : FAILING) {
      String function = fault.substring(0, fault.indexOf('='));
      long calls = usual.count(function);
      assertTrue(calls > 0, function);
      for (int at = 1; at <= calls; at++) {
        live(arenas, fault + "@" + at);
        runs++;
      }
      if (!function.equals("cuCtxPopCurrent")) { // else all threads would run out of contexts
        live(arenas, fault + "@*");
        runs++;
      }
    }
    System.out.println("faults injected: " + runs);
  }

  /**
   * Runs a whole life with a plan of faults, on a thread of its own, and checks what is left of it.
   */
  private List<HoldfastFailure> live(Supplier<Pinned> arenas, String faults) throws Exception {
    stub.configure(faults);
    List<HoldfastFailure> failures = new ArrayList<>();
    try {
      Deadlines.within(
          "life",
          Deadlines.GENEROUS,
          () -> {
            life(arenas, failures);
            return null;
          });
      stub.endFaults();
      awaitCloser();
      Deadlines.assertEventually(
          "the quarantine is empty",
          () -> {
            Quarantine.retry();
            return Quarantine.size() == 0;
          });
      Deadlines.assertEventually("everything has ended", () -> left(faults).isEmpty());
      stub.log().assertClean();
    } catch (AssertionError e) {
      throw new AssertionError(
          "with " + faults + " and " + failures + "\n" + stub.log() + Quarantine.describe(), e);
    }
    return failures;
  }

  /** What the closer still has in its hands comes to the quarantine after this, or never. */
  private static void awaitCloser() throws InterruptedException {
    CountDownLatch reached = new CountDownLatch(1);
    Closer.submit(
        new Closer.Task() {
          @Override
          protected boolean run() {
            reached.countDown();
            return true;
          }
        });
    assertTrue(reached.await(60, TimeUnit.SECONDS), "the closer stands still");
  }

  /**
   * Where no context could be made current, nothing could be given back either, which the log
   * cannot see.
   */
  private List<String> left(String faults) {
    boolean refusedUnseen = faults.startsWith("cuCtxPushCurrent");
    return stub.log().violations(true).stream()
        .filter(violation -> !refusedUnseen || !violation.startsWith("end: not given back"))
        .toList();
  }

  private void life(Supplier<Pinned> arenas, List<HoldfastFailure> failures) {
    attempt(
        failures,
        () -> {
          Pinned arena = arenas.get();
          try {
            copies(arena, failures);
          } finally {
            attempt(failures, arena.feed::close);
          }
        });
  }

  private void copies(Pinned arena, List<HoldfastFailure> failures) {
    Feed.Received unit = arena.feed.pass(ViewScope.CONFINED, 40_000, 8192);
    long address = unit.tensors().getFirst().segment().address();
    try (HostToDevice to = HostToDevice.create();
        DeviceToHost back = DeviceToHost.create()) {
      boolean foreign = faultsSay("712");
      if (!foreign) {
        assertEquals(arena.isPinned.apply(arena.feed), stub.isRegistered(address, 40_000));
      }
      attempt(
          failures,
          () -> {
            List<Tensor> item = new ArrayList<>(unit.tensors());
            item.add(Tensor.of(new byte[5000], 5000));
            List<Tensor> there = to.copy(item);
            try {
              List<Tensor> again = back.copy(there);
              unit.verify(0, again.get(0));
              unit.verify(1, again.get(1));
            } finally {
              there.forEach(tensor -> ((DeviceTensor) tensor).close());
            }
          });
    } finally {
      unit.lease().close();
    }
    // Whatever failed, the storage is either free for the next unit or kept for an unproved copy.
    if (failures.stream().noneMatch(DeviceException.class::isInstance)) {
      arena.feed.overwrite(4, SEGMENT);
    }
  }

  private boolean faultsSay(String code) {
    return stub.faults().contains(code);
  }

  private static void attempt(List<HoldfastFailure> failures, Runnable body) {
    try {
      body.run();
    } catch (RuntimeException e) {
      if (!(e instanceof HoldfastFailure failure)) {
        throw e;
      }
      failures.add(failure);
    }
  }
}
