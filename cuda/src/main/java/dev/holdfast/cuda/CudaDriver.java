package dev.holdfast.cuda;

import dev.holdfast.cuda.internal.Devices;
import dev.holdfast.cuda.internal.Driver;
import java.util.List;

/**
 * The CUDA driver of this machine. Its library, {@code libcuda.so.1} or what the system property
 * {@code holdfast.cuda.driver} names, is looked for once, when this class is first asked.
 * Thread-safe.
 */
public final class CudaDriver {
  private CudaDriver() {}

  /**
   * Returns whether there is a driver that works and knows a device. Never throws.
   *
   * @return true when device copies and {@link CudaPagePinner} can be used
   */
  public static boolean isAvailable() {
    return Driver.isAvailable();
  }

  /**
   * Returns why there is none.
   *
   * @return one sentence without its full stop, empty when {@link #isAvailable}
   */
  public static String unavailableReason() {
    return Driver.unavailableReason();
  }

  /**
   * Returns the newest CUDA version that the driver supports.
   *
   * @return major and minor number, such as {@code 12.4}, or an empty string without a driver
   */
  public static String version() {
    int version = Driver.version();
    return Driver.isAvailable() ? version / 1000 + "." + version % 1000 / 10 : "";
  }

  /**
   * Returns the devices in the driver's order.
   *
   * @return the devices, none without a driver
   * @throws DeviceException when the driver does not describe one
   */
  public static List<CudaDevice> devices() {
    return Devices.all();
  }
}
