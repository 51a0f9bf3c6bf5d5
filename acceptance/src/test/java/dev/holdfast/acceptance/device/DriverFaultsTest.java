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
import dev.holdfast.cuda.CudaDriver;
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
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Every fault of the driver at every call of a whole life of a pinned arena: opened, filled, copied
 * to a device and back, closed. After each one the log must be clean, and nothing may be left.
 *
 * <p>A call is refused with an error of its own, does what it should and reports an error, or takes
 * its time.
 */
@ExtendWith(Leftovers.class)
class DriverFaultsTest {
  private static final long SEGMENT = 96 << 10;
  private static final long BUDGET = 32 << 20;

  /** A function and the error that it is refused with. */
  private record Call(String function, int code) {}

  private static final String PUSH = "cuCtxPushCurrent";
  private static final String POP = "cuCtxPopCurrent";
  private static final List<Call> CALLS =
      List.of(
          new Call(PUSH, 201),
          new Call(POP, 201),
          new Call("cuDeviceGet", 101),
          new Call("cuDeviceGetName", 101),
          new Call("cuDeviceTotalMem", 101),
          new Call("cuStreamCreate", 2),
          new Call("cuStreamDestroy", 999),
          new Call("cuStreamWaitEvent", 999),
          new Call("cuEventCreate", 2),
          new Call("cuEventRecord", 999),
          new Call("cuEventDestroy", 999),
          new Call("cuMemAlloc", 2),
          new Call("cuMemFree", 999),
          new Call("cuPointerGetAttribute", 999),
          new Call("cuMemHostRegister", 1),
          new Call("cuMemHostRegister", 2),
          new Call("cuMemHostRegister", 712),
          new Call("cuMemHostRegister", 801),
          new Call("cuMemHostUnregister", 999),
          new Call("cuMemcpyHtoDAsync", 1),
          new Call("cuMemcpyDtoHAsync", 1));

  /** How a thread learns that its copies are done. */
  private static final Call WAITS = new Call("cuStreamSynchronize", 999);

  private static final Call ASKS = new Call("cuStreamQuery", 999);

  /** A refusal of these is logged and changes nothing, so that one life has many of them. */
  private static final Set<String> CHANGES_NOTHING =
      Set.of(POP, "cuStreamDestroy", "cuEventDestroy", "cuMemFree");

  /** What these did before they reported an error is nothing that the program could undo. */
  private static final Set<String> LEAVES_NOTHING =
      Set.of(PUSH, "cuDeviceGet", "cuDeviceGetName", "cuDeviceTotalMem", "cuPointerGetAttribute");

  private static final List<String> TOGETHER =
      List.of(
          "cuMemHostRegister=late(999),cuMemHostUnregister=fail(999)",
          "cuMemHostRegister=late(999),cuMemHostUnregister=late(999)",
          "cuMemHostRegister=late(999),cuMemHostUnregister=fail(999)@1,cuMemHostUnregister=fail(999)@2",
          "cuMemHostRegister=late(999),cuPointerGetAttribute=fail(999)@1",
          "cuMemHostRegister=late(999),cuPointerGetAttribute=fail(999)@2",
          "cuMemHostRegister=late(999),cuCtxPushCurrent=fail(201)@3",
          "cuMemHostRegister=late(999)@*",
          "cuMemcpyHtoDAsync=fail(1)@2,cuStreamSynchronize=fail(999),cuStreamQuery=fail(999)",
          "cuMemcpyHtoDAsync=delay(30)@*,cuStreamSynchronize=fail(999),cuStreamQuery=fail(999)",
          "cuMemcpyDtoHAsync=delay(30)@*,cuStreamSynchronize=late(999)@2,cuStreamQuery=late(999)",
          "cuMemcpyDtoHAsync=late(999)@*,cuStreamSynchronize=fail(999)@2,cuStreamQuery=fail(999)@2");

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
    inject(Pinned::pool, Runnable::run, WAITS);
  }

  @Test
  void noFaultAtAnyCallOfARingsLifeLosesOrEndsAnythingTwice() throws Exception {
    inject(Pinned::ring, Runnable::run, WAITS);
  }

  @Test
  void noFaultAtAnyCallOfAPoolsLifeOnAVirtualThreadDoesEither() throws Exception {
    inject(Pinned::pool, DriverFaultsTest::runVirtual, ASKS);
  }

  @Test
  void noFaultAtAnyCallOfARingsLifeOnAVirtualThreadDoesEither() throws Exception {
    inject(Pinned::ring, DriverFaultsTest::runVirtual, ASKS);
  }

  private static void runVirtual(Runnable body) {
    FutureTask<Void> task = new FutureTask<>(body, null);
    var _ = Thread.ofVirtual().start(task);
    try {
      Deadlines.result(task);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private void inject(Supplier<Pinned> arenas, Consumer<Runnable> thread, Call ends)
      throws Exception {
    assertEquals(List.of(), live(arenas, thread, ""));
    StubLog usual = stub.log();
    List<String> plans = new ArrayList<>(TOGETHER);
    List<Call> calls = Stream.concat(CALLS.stream(), Stream.of(ends)).toList();
    plans.add(each(calls, "delay(1)"));
    plans.add("cuMemcpyHtoDAsync=delay(30)@*,cuMemcpyDtoHAsync=delay(30)@*");
    plans.add(
        each(
            calls.stream().filter(call -> CHANGES_NOTHING.contains(call.function)).toList(),
            "late(999)"));
    for (Call call : calls) {
      addPlans(plans, call, (int) usual.count(call.function), ends.equals(ASKS));
    }
    for (String faults : plans) {
      live(arenas, thread, faults);
    }
    System.out.println("faults injected: " + plans.size());
  }

  private static String each(List<Call> calls, String action) {
    return calls.stream()
        .map(Call::function)
        .distinct()
        .map(function -> function + "=" + action + "@*")
        .collect(Collectors.joining(","));
  }

  /**
   * Adds plans in which a call is refused, or reports an error after it has done what it should.
   *
   * @param count how often it is made in a life
   * @param virtual whether the life is a virtual thread's, where only one context out of five is
   *     refused: who makes a call is all that is different
   */
  private static void addPlans(List<String> plans, Call call, int count, boolean virtual) {
    String function = call.function;
    assertTrue(count > 0, function);
    String fail = function + "=fail(" + call.code + ")@";
    String late = function + "=late(999)@";
    if (CHANGES_NOTHING.contains(function)) {
      plans.add(everySecond(fail, 1, count));
      if (count > 1) {
        plans.add(everySecond(fail, 2, count));
      }
      return;
    }
    for (int at = 1; at <= count; at += virtual && function.equals(PUSH) ? 5 : 1) {
      plans.add(fail + at);
      if (!LEAVES_NOTHING.contains(function)) {
        plans.add(late + at);
      }
    }
    addDelays(plans, function, count);
    plans.add(fail + "*");
    plans.add(late + "*");
  }

  /** Each copy takes its time alone, and so do the first and the last of the other calls. */
  private static void addDelays(List<String> plans, String function, int count) {
    boolean copies = function.startsWith("cuMemcpy");
    for (int at = 1; at <= count; at += copies ? 1 : Math.max(1, count - 1)) {
      plans.add(function + "=delay(20)@" + at);
    }
  }

  private static String everySecond(String fault, int first, int count) {
    return IntStream.iterate(first, at -> at <= count, at -> at + 2)
        .mapToObj(at -> fault + at)
        .collect(Collectors.joining(","));
  }

  /**
   * Runs a whole life with a plan of faults, on a thread of its own, and checks what is left of it.
   */
  private List<HoldfastFailure> live(
      Supplier<Pinned> arenas, Consumer<Runnable> thread, String faults) throws Exception {
    stub.configure(faults);
    List<HoldfastFailure> failures = new ArrayList<>();
    try {
      Deadlines.within(
          "life",
          Deadlines.GENEROUS,
          () -> {
            thread.accept(() -> life(arenas, failures));
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
    boolean refusedUnseen = faults.contains(PUSH + "=fail");
    return stub.log().violations(true).stream()
        .filter(violation -> !refusedUnseen || !violation.startsWith("end: not given back"))
        .toList();
  }

  private void life(Supplier<Pinned> arenas, List<HoldfastFailure> failures) {
    attempt(failures, () -> assertEquals(2, CudaDriver.devices().size()));
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
      assertEquals(arena.isPinned.apply(arena.feed), stub.isRegistered(address, 40_000));
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
