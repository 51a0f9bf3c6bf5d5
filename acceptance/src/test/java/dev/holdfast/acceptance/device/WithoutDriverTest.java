package dev.holdfast.acceptance.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.arena.payload.Tensor;
import dev.holdfast.cuda.CudaDriver;
import dev.holdfast.cuda.CudaPagePinner;
import dev.holdfast.cuda.DeviceException;
import dev.holdfast.cuda.HostToDevice;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.cuda.StubDriver;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Processes whose driver is missing, broken, or knows no device. */
@ExtendWith(Leftovers.class)
class WithoutDriverTest {

  /** Says what the driver says of itself, and passes units through a pool all the same. */
  static final class Child {
    private Child() {}

    public static void main(String[] args) {
      System.out.println("available " + CudaDriver.isAvailable());
      System.out.println("reason " + CudaDriver.unavailableReason());
      System.out.println("devices " + CudaDriver.devices().size());
      refused(() -> CudaPagePinner.of(1 << 20));
      refused(HostToDevice::create);
      try (Feed feed = new Feed(new SharedMemorySegmentPool(100_000, 3))) {
        feed.overwrite(10, 100_000);
      }
      System.out.println("tensor " + Tensor.of(new int[] {7}, 1).get(0));
      System.out.println("done");
    }

    private static void refused(Runnable call) {
      try {
        call.run();
        System.out.println("refused no");
      } catch (DeviceException e) {
        System.out.println("refused " + e.facts().get("reason"));
      }
    }
  }

  private static String reason(ChildJvm.Builder builder) {
    try (ChildJvm child = builder.start()) {
      assertEquals("false", child.awaitLine("available "));
      String reason = child.awaitLine("reason ");
      assertEquals("0", child.awaitLine("devices "));
      assertEquals(reason, child.awaitLine("refused "));
      assertEquals(reason, child.awaitLine("refused "));
      assertEquals("7.0", child.awaitLine("tensor "));
      assertEquals("", child.awaitLine("done"));
      child.awaitSuccess();
      assertEquals("", child.errorOutput());
      return reason;
    }
  }

  private static ChildJvm.Builder child(String library) {
    return ChildJvm.of(Child.class).jvmArgs("-D" + StubDriver.DRIVER_PROPERTY + "=" + library);
  }

  @Test
  void aMissingLibraryIsNamedAndNothingElseChanges() {
    String reason = reason(child("libno-such-driver.so.1"));
    assertTrue(reason.contains("libno-such-driver.so.1"), reason);
  }

  @Test
  void aLibraryWithoutTheFunctionsIsTooOld() {
    String reason = reason(child("libc.so.6"));
    assertTrue(reason.contains("cuInit"), reason);
  }

  @Test
  void aDriverWithoutADeviceSaysSo() {
    StubDriver stub = StubDriver.install();
    String reason = reason(child(stub.file().toString()).environment("HOLDFAST_STUB_DEVICES", "0"));
    assertTrue(reason.contains("CUDA_ERROR_NO_DEVICE"), reason);
  }

  @Test
  void aDriverThatDoesNotStartSaysWhy() {
    StubDriver stub = StubDriver.install();
    for (String call : new String[] {"cuInit", "cuDriverGetVersion", "cuDeviceGetCount"}) {
      String reason =
          reason(
              child(stub.file().toString())
                  .environment("HOLDFAST_STUB_FAULTS", call + "=fail(999)"));
      assertTrue(reason.contains("code=999") && reason.contains(call), reason);
    }
  }

  @Test
  void aContextThatIsRefusedIsTriedAgainByTheNextUser() {
    StubDriver stub = StubDriver.install();
    try (ChildJvm child =
        ChildJvm.of(Retained.class)
            .jvmArgs("-D" + StubDriver.DRIVER_PROPERTY + "=" + stub.file())
            .environment(
                "HOLDFAST_STUB_FAULTS",
                "cuDeviceGet=fail(101)@1,cuDevicePrimaryCtxRetain=fail(2)@1,"
                    + "cuDevicePrimaryCtxRetain=late(999)@2")
            .environment("LOCAL_RANK", "1")
            .environment("HOLDFAST_STUB_DEVICES", "2")
            .start()) {
      assertEquals("101", child.awaitLine("code "));
      assertEquals("2", child.awaitLine("code "));
      assertEquals("999", child.awaitLine("code "));
      assertEquals("1", child.awaitLine("device "));
      child.awaitSuccess();
    }
  }

  @Test
  void aRankBeyondTheDevicesIsAnError() {
    StubDriver stub = StubDriver.install();
    try (ChildJvm child =
        ChildJvm.of(Retained.class)
            .jvmArgs("-D" + StubDriver.DRIVER_PROPERTY + "=" + stub.file())
            .environment("LOCAL_RANK", "2")
            .environment("HOLDFAST_STUB_DEVICES", "2")
            .start()) {
      assertEquals(
          "there is no such device: device=2 devices=2",
          child.awaitLine("message ").split(";", 2)[0]);
      child.awaitSuccess();
    }
  }

  /** Asks four times for a copier on the device of LOCAL_RANK. */
  static final class Retained {
    private Retained() {}

    public static void main(String[] args) {
      for (int i = 0; i < 4; i++) {
        try (HostToDevice to = HostToDevice.create()) {
          System.out.println("device " + to.device());
        } catch (DeviceException e) {
          System.out.println("code " + e.code());
          System.out.println("message " + e.getMessage());
        }
      }
    }
  }
}
