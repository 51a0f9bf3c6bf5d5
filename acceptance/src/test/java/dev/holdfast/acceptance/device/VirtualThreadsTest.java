package dev.holdfast.acceptance.device;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.PagePinner;
import dev.holdfast.arena.payload.Tensor;
import dev.holdfast.cuda.CudaDriver;
import dev.holdfast.cuda.CudaPagePinner;
import dev.holdfast.cuda.DeviceException;
import dev.holdfast.cuda.DeviceTensor;
import dev.holdfast.cuda.DeviceToHost;
import dev.holdfast.cuda.HostToDevice;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.cuda.StubDriver;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Virtual threads use the driver, and a call that waits in it keeps nobody else from running. */
@ExtendWith(Leftovers.class)
class VirtualThreadsTest {
  private static final List<String> CALLS =
      List.of(
          "cuCtxPushCurrent",
          "cuCtxPopCurrent",
          "cuPointerGetAttribute",
          "cuMemHostRegister",
          "cuStreamCreate",
          "cuMemAlloc",
          "cuMemcpyHtoDAsync",
          "cuStreamQuery",
          "cuEventCreate",
          "cuEventRecord",
          "cuStreamWaitEvent",
          "cuMemcpyDtoHAsync",
          "cuMemFree",
          "cuMemHostUnregister",
          "cuEventDestroy",
          "cuStreamDestroy");

  /** What is called when another call was refused. */
  private static final List<String> ERROR_CALLS = List.of("cuGetErrorName", "cuGetErrorString");

  /** Has one carrier. Each call in turn stands still, and another virtual thread must run. */
  static final class Child {
    private Child() {}

    public static void main(String[] args) throws Exception {
      StubDriver stub = StubDriver.install();
      blockIn(stub, "cuInit", () -> assertTrue(CudaDriver.isAvailable()));
      blockIn(stub, "cuDeviceGet", () -> HostToDevice.create().close());
      blockIn(
          stub, "cuDevicePrimaryCtxRetain", () -> HostToDevice.builder().device(1).build().close());
      for (String call : CALLS) {
        blockIn(stub, call, Child::life);
      }
      for (String call : ERROR_CALLS) {
        blockIn(
            stub,
            call,
            ",cuMemAlloc=fail(2)",
            () -> assertThrows(DeviceException.class, Child::life));
      }
      System.out.println("calls " + (CALLS.size() + ERROR_CALLS.size()));
    }

    private static void blockIn(StubDriver stub, String call, Runnable body) throws Exception {
      blockIn(stub, call, "", body);
    }

    private static void blockIn(StubDriver stub, String call, String others, Runnable body)
        throws Exception {
      stub.configure(call + "=block(600000)" + others);
      FutureTask<Boolean> stuck = new FutureTask<>(body, true);
      var _ = Thread.ofVirtual().start(stuck);
      Deadlines.assertEventually("in " + call, () -> stub.calls(call) > 0);
      AtomicBoolean ran = new AtomicBoolean();
      Thread other = Thread.ofVirtual().start(() -> ran.set(true));
      assertTrue(other.join(Deadlines.GENEROUS), "the carrier waits in " + call);
      assertTrue(ran.get());
      assertFalse(stuck.isDone(), call);
      stub.endFaults();
      assertTrue(Deadlines.result(stuck));
      stub.assertCleanAndOver();
    }

    private static void life() {
      int[] elements = {1, 2, 3};
      try (Arena arena = Arena.ofShared();
          PagePinner.Registration _ =
              CudaPagePinner.of(1 << 20).register(arena.allocate(8192, 4096));
          HostToDevice to = HostToDevice.create();
          DeviceToHost back = DeviceToHost.create();
          DeviceTensor there = to.copy(Tensor.of(elements, 3))) {
        assertArrayEquals(elements, back.copy(there).toIntArray());
      }
    }
  }

  @Test
  void noCallOfTheDriverKeepsTheCarrier() {
    StubDriver stub = StubDriver.install();
    try (ChildJvm child =
        ChildJvm.of(Child.class)
            .jvmArgs(
                stub.builtOption(),
                "-Djdk.virtualThreadScheduler.parallelism=1",
                "-Djdk.virtualThreadScheduler.maxPoolSize=1")
            .start()) {
      assertEquals(String.valueOf(CALLS.size() + ERROR_CALLS.size()), child.awaitLine("calls "));
      child.awaitSuccess();
    }
  }

  @Test
  void oneAfterAnotherTheyUseOneStreamAndOnePieceOfStagingMemory() throws Exception {
    StubDriver stub = Drivers.stub();
    PagePinner pinner = CudaPagePinner.of(2 << 20);
    try (HostToDevice to = HostToDevice.builder().pinnedStaging(pinner).build();
        DeviceToHost back = DeviceToHost.builder().pinnedStaging(pinner).build()) {
      for (int i = 0; i < 20; i++) {
        int[] elements = {i};
        FutureTask<int[]> copy =
            new FutureTask<>(
                () -> {
                  try (DeviceTensor there = to.copy(Tensor.of(elements, 1))) {
                    return back.copy(there).toIntArray();
                  }
                });
        var _ = Thread.ofVirtual().start(copy);
        assertArrayEquals(elements, Deadlines.result(copy));
      }
      assertEquals(2, stub.calls("cuStreamCreate"));
      assertEquals(2, stub.log().done("cuMemHostRegister").size());
    }
    stub.assertCleanAndOver();
  }

  @Test
  void anInterruptEndsNoWaitAndIsStillThere() throws Exception {
    StubDriver stub = Drivers.stub();
    try (HostToDevice to = HostToDevice.create()) {
      stub.configure("cuMemAlloc=block(600000)");
      FutureTask<Boolean> copy =
          new FutureTask<>(
              () -> {
                to.copy(Tensor.of(new int[] {1}, 1)).close();
                return Thread.interrupted();
              });
      Thread copier = Thread.ofVirtual().start(copy);
      Deadlines.assertEventually("it waits", () -> stub.calls("cuMemAlloc") == 1);
      copier.interrupt();
      Deadlines.pause(Duration.ofMillis(1));
      assertFalse(copy.isDone());
      stub.endFaults();
      assertTrue(Deadlines.result(copy), "the flag is set again");
    }
    stub.assertCleanAndOver();
  }
}
