package dev.holdfast.acceptance.device;

import dev.holdfast.cuda.CudaDriver;
import dev.holdfast.testkit.cuda.StubDriver;
import java.util.Optional;
import org.junit.jupiter.api.Assertions;

/**
 * The driver that tests of devices run on: the stub, unless the property {@code holdfast.gpu.real}
 * asks for the machine's own.
 */
public final class Drivers {
  private Drivers() {}

  /**
   * Returns the stub, with a fresh log and no faults, or nothing when the machine's driver is used.
   */
  public static Optional<StubDriver> use() {
    Optional<StubDriver> stub =
        Boolean.getBoolean("holdfast.gpu.real")
            ? Optional.empty()
            : Optional.of(StubDriver.install());
    Assertions.assertTrue(CudaDriver.isAvailable(), CudaDriver::unavailableReason);
    return stub;
  }

  /** Returns the stub, for tests that need one. */
  public static StubDriver stub() {
    StubDriver stub = StubDriver.install();
    Assertions.assertTrue(CudaDriver.isAvailable(), CudaDriver::unavailableReason);
    return stub;
  }
}
