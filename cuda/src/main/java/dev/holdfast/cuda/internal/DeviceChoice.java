package dev.holdfast.cuda.internal;

import dev.holdfast.arena.FailureDetail;
import dev.holdfast.cuda.DeviceException;
import org.jspecify.annotations.Nullable;

/** Which device a process works with: the one named, else LOCAL_RANK, else the first. */
public final class DeviceChoice {
  private static final String VARIABLE = "LOCAL_RANK";

  private DeviceChoice() {}

  /** Returns the context of the chosen device. */
  public static CudaContext context(@Nullable Integer named) {
    return CudaContext.of(index(named, System.getenv(VARIABLE)));
  }

  static int index(@Nullable Integer named, @Nullable String rank) {
    if (named != null) {
      return named;
    }
    if (rank == null || rank.isBlank()) {
      return 0;
    }
    try {
      return Integer.parseInt(rank.trim());
    } catch (NumberFormatException e) {
      throw new DeviceException(
          FailureDetail.of("the environment names no device")
              .with("variable", VARIABLE)
              .with("value", rank)
              .advise("set it to the index of a device, or name the device in the program"),
          e);
    }
  }
}
