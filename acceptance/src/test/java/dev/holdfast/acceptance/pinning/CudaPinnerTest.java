package dev.holdfast.acceptance.pinning;

import dev.holdfast.acceptance.device.Drivers;
import dev.holdfast.arena.PagePinner;
import dev.holdfast.cuda.CudaPagePinner;
import dev.holdfast.testkit.cuda.StubDriver;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** The driver's registrations, on the stub or a real one. */
class CudaPinnerTest extends PinnerContract {
  private Optional<StubDriver> stub = Optional.empty();

  @BeforeEach
  void useDriver() {
    stub = Drivers.use();
  }

  @AfterEach
  void theLogIsClean() {
    stub.ifPresent(StubDriver::assertCleanAndOver);
  }

  @Override
  PagePinner pinner(long budgetBytes) {
    return CudaPagePinner.of(budgetBytes);
  }
}
