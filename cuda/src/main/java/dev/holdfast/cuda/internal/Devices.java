package dev.holdfast.cuda.internal;

import dev.holdfast.arena.internal.wait.OffCarrier;
import dev.holdfast.cuda.CudaDevice;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.stream.IntStream;

/** What the driver says about its devices. */
public final class Devices {
  private static final int NAME_BYTES = 256;

  private Devices() {}

  /** Returns all devices. */
  public static List<CudaDevice> all() {
    return OffCarrier.call(
        () -> IntStream.range(0, Driver.devices()).mapToObj(Devices::describe).toList());
  }

  private static CudaDevice describe(int index) {
    DriverFunctions functions = Driver.functions();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(ValueLayout.JAVA_LONG);
      MemorySegment name = arena.allocate(NAME_BYTES);
      Driver.check(CudaCall.DEVICE, functions.call(CudaCall.DEVICE, out.address(), index));
      int device = out.get(ValueLayout.JAVA_INT, 0);
      Driver.check(
          CudaCall.DEVICE_NAME,
          functions.call(CudaCall.DEVICE_NAME, name.address(), NAME_BYTES, device));
      Driver.check(
          CudaCall.DEVICE_TOTAL_MEMORY,
          functions.call(CudaCall.DEVICE_TOTAL_MEMORY, out.address(), device));
      return new CudaDevice(index, name.getString(0), out.get(ValueLayout.JAVA_LONG, 0));
    }
  }
}
