package dev.holdfast.cuda;

import dev.holdfast.arena.PagePinner;
import dev.holdfast.arena.internal.memory.NoRegistration;
import dev.holdfast.arena.internal.memory.PinBudget;
import dev.holdfast.cuda.internal.CudaContext;
import dev.holdfast.cuda.internal.DeviceChoice;
import dev.holdfast.cuda.internal.HostRegistration;
import java.lang.foreign.MemorySegment;

/**
 * Page-locks memory with the CUDA driver, so that all devices copy from it and to it directly.
 * Thread-safe.
 *
 * <p>Memory that another part of the process registered before stays that one's: it is used like
 * any other, and this pinner never unregisters it. Where that is only a part of the memory the
 * registration is refused, since a copy must not span both. A registration is not ended while a
 * copy of this module uses its memory, which is kept reachable as long.
 */
public final class CudaPagePinner implements PagePinner {
  private final CudaContext context;
  private final PinBudget budget;

  private CudaPagePinner(CudaContext context, long budgetBytes) {
    this.context = context;
    this.budget = new PinBudget(budgetBytes);
  }

  /**
   * Returns a pinner on the device that the environment variable {@code LOCAL_RANK} names, the
   * first one without.
   *
   * @param budgetBytes the most that may be registered through this pinner at a time
   * @return the pinner
   * @throws IllegalArgumentException when the budget is not positive
   * @throws DeviceException when there is no driver or no such device
   */
  public static CudaPagePinner of(long budgetBytes) {
    return new CudaPagePinner(DeviceChoice.context(null), budgetBytes);
  }

  /**
   * Returns a pinner that calls the driver in the context of one device. What it locks serves all
   * of them.
   *
   * @param device the device's index
   * @param budgetBytes the most that may be registered through this pinner at a time
   * @return the pinner
   * @throws IllegalArgumentException when the budget is not positive
   * @throws DeviceException when there is no driver or no such device
   */
  public static CudaPagePinner of(int device, long budgetBytes) {
    return new CudaPagePinner(DeviceChoice.context(device), budgetBytes);
  }

  @Override
  public Registration register(MemorySegment memory) {
    PinBudget.requirePages(memory);
    if (memory.byteSize() == 0) {
      return new NoRegistration();
    }
    PinBudget.requireRoom(memory);
    return HostRegistration.of(context, budget, memory);
  }

  @Override
  public String toString() {
    return "cuda";
  }
}
