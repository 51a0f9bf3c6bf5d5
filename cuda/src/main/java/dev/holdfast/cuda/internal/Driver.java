package dev.holdfast.cuda.internal;

import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.internal.life.Once;
import dev.holdfast.arena.internal.wait.OffCarrier;
import dev.holdfast.cuda.DeviceException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * The driver of this process, looked for once. The system property {@code holdfast.cuda.driver}
 * names another library than {@value #STANDARD_LIBRARY}.
 */
public final class Driver {
  /** The property that names the library. */
  public static final String DRIVER_PROPERTY = "holdfast.cuda.driver";

  private static final String STANDARD_LIBRARY = "libcuda.so.1";
  private static final Once<Found> FOUND = new Once<>(() -> OffCarrier.call(Driver::find));

  /** Either a library or why there is none. */
  private record Found(
      @Nullable DriverFunctions functions, String reason, int devices, int version) {
    static Found nothing(String reason) {
      return new Found(null, reason, 0, 0);
    }
  }

  private Driver() {}

  /** Returns whether there is a driver with at least one device. */
  public static boolean isAvailable() {
    return FOUND.get().functions != null;
  }

  /** Returns why there is none, or an empty string. */
  public static String unavailableReason() {
    return FOUND.get().reason;
  }

  /** Returns the number of devices. */
  public static int devices() {
    return FOUND.get().devices;
  }

  /** Returns the driver's version: 1000 times the major one and 10 times the minor one. */
  public static int version() {
    return FOUND.get().version;
  }

  /** Returns the library, or fails with the reason. */
  static DriverFunctions functions() {
    DriverFunctions functions = FOUND.get().functions;
    if (functions == null) {
      throw new DeviceException(
          FailureDetail.of("there is no usable CUDA driver")
              .with("reason", FOUND.get().reason)
              .advise(
                  "ask CudaDriver.isAvailable() first; everything but device memory works without"));
    }
    return functions;
  }

  /** Fails when a call was refused. */
  static void check(CudaCall call, int code) {
    if (code != CudaCode.SUCCESS) {
      throw failure(call, code);
    }
  }

  /** Returns an exception that names the call and the driver's error. */
  static DeviceException failure(CudaCall call, int code) {
    return new DeviceException(detail("the CUDA driver refused a call", call, code));
  }

  /** Returns the facts of a refused call. */
  static FailureDetail detail(String what, CudaCall call, int code) {
    DriverFunctions functions = functions();
    return FailureDetail.of(what)
        .with("call", call.function())
        .with("code", code)
        .with("error", OffCarrier.call(() -> functions.describe(code)));
  }

  private static Found find() {
    String place = System.getProperty(DRIVER_PROPERTY, STANDARD_LIBRARY);
    DriverFunctions functions;
    try {
      functions = DriverFunctions.open(place);
    } catch (IllegalCallerException e) {
      Module module = Driver.class.getModule();
      return Found.nothing(
          "native access is refused; start the JVM with --enable-native-access="
              + (module.isNamed() ? module.getName() : "ALL-UNNAMED"));
    } catch (IllegalArgumentException e) {
      return Found.nothing("the driver library cannot be loaded: library=" + place);
    } catch (UnsupportedOperationException e) {
      return Found.nothing("the driver is too old, " + e.getMessage() + ": library=" + place);
    }
    return start(functions, place);
  }

  private static Found start(DriverFunctions functions, String place) {
    int code = functions.call(CudaCall.INIT, 0);
    if (code != CudaCode.SUCCESS) {
      return refused(functions, CudaCall.INIT, code, place);
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(ValueLayout.JAVA_INT);
      code = functions.call(CudaCall.DRIVER_VERSION, out.address());
      if (code != CudaCode.SUCCESS) {
        return refused(functions, CudaCall.DRIVER_VERSION, code, place);
      }
      int version = out.get(ValueLayout.JAVA_INT, 0);
      code = functions.call(CudaCall.DEVICE_COUNT, out.address());
      if (code != CudaCode.SUCCESS) {
        return refused(functions, CudaCall.DEVICE_COUNT, code, place);
      }
      int devices = out.get(ValueLayout.JAVA_INT, 0);
      return devices == 0
          ? Found.nothing("the driver knows no device: library=" + place)
          : new Found(functions, "", devices, version);
    }
  }

  private static Found refused(DriverFunctions functions, CudaCall call, int code, String place) {
    return Found.nothing(
        "the driver does not start: call=%s code=%d error=%s library=%s"
            .formatted(call.function(), code, functions.describe(code), place));
  }
}
