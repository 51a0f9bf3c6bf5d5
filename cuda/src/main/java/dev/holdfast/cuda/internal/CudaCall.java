package dev.holdfast.cuda.internal;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;

/**
 * The functions of the driver that we call ("CUDA Driver API", NVIDIA). Pointers, handles and sizes
 * are 64-bit numbers, which the calling conventions of x86-64 and AArch64 pass in the same way.
 * Some names end in the version that the driver's header stands for.
 */
enum CudaCall {
  INIT("cuInit", Shape.I),
  DRIVER_VERSION("cuDriverGetVersion", Shape.J),
  ERROR_NAME("cuGetErrorName", Shape.IJ),
  ERROR_TEXT("cuGetErrorString", Shape.IJ),
  DEVICE_COUNT("cuDeviceGetCount", Shape.J),
  DEVICE("cuDeviceGet", Shape.JI),
  DEVICE_NAME("cuDeviceGetName", Shape.JII),
  DEVICE_TOTAL_MEMORY("cuDeviceTotalMem_v2", Shape.JI),
  PRIMARY_CONTEXT_RETAIN("cuDevicePrimaryCtxRetain", Shape.JI),
  CONTEXT_PUSH("cuCtxPushCurrent_v2", Shape.J),
  CONTEXT_POP("cuCtxPopCurrent_v2", Shape.J),
  STREAM_CREATE("cuStreamCreate", Shape.JI),
  STREAM_DESTROY("cuStreamDestroy_v2", Shape.J),
  STREAM_SYNCHRONIZE("cuStreamSynchronize", Shape.J),
  STREAM_QUERY("cuStreamQuery", Shape.J),
  STREAM_WAIT_EVENT("cuStreamWaitEvent", Shape.JJI),
  EVENT_CREATE("cuEventCreate", Shape.JI),
  EVENT_RECORD("cuEventRecord", Shape.JJ),
  EVENT_DESTROY("cuEventDestroy_v2", Shape.J),
  MEMORY_ALLOCATE("cuMemAlloc_v2", Shape.JJ),
  MEMORY_FREE("cuMemFree_v2", Shape.J),
  HOST_REGISTER("cuMemHostRegister_v2", Shape.JJI),
  HOST_UNREGISTER("cuMemHostUnregister", Shape.J),
  POINTER_ATTRIBUTE("cuPointerGetAttribute", Shape.JIJ),
  COPY_TO_DEVICE("cuMemcpyHtoDAsync_v2", Shape.JJJJ),
  COPY_TO_HOST("cuMemcpyDtoHAsync_v2", Shape.JJJJ);

  /** The types of the arguments, I for 32 bits and J for 64; all functions return a CUresult. */
  enum Shape {
    I(FunctionDescriptor.of(JAVA_INT, JAVA_INT)),
    J(FunctionDescriptor.of(JAVA_INT, JAVA_LONG)),
    IJ(FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG)),
    JI(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT)),
    JIJ(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG)),
    JII(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_INT)),
    JJ(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG)),
    JJI(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT)),
    JJJJ(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG));

    @SuppressWarnings("ImmutableEnumChecker") // function descriptors are immutable
    private final FunctionDescriptor type;

    Shape(FunctionDescriptor type) {
      this.type = type;
    }
  }

  private final String symbol;
  private final Shape shape;

  CudaCall(String symbol, Shape shape) {
    this.symbol = symbol;
    this.shape = shape;
  }

  /** Returns the symbol in the driver library. */
  String symbol() {
    return symbol;
  }

  /** Returns the name in the manual. */
  String function() {
    int version = symbol.indexOf("_v");
    return version < 0 ? symbol : symbol.substring(0, version);
  }

  /** Returns the C type. */
  FunctionDescriptor type() {
    return shape.type;
  }
}
