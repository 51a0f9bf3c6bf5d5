package dev.holdfast.cuda.internal;

/** Results of driver calls that we tell apart. */
public final class CudaCode {
  public static final int SUCCESS = 0;
  public static final int INVALID_VALUE = 1;
  public static final int OUT_OF_MEMORY = 2;
  public static final int NO_DEVICE = 100;
  public static final int NOT_READY = 600;
  public static final int ALREADY_REGISTERED = 712;
  public static final int NOT_REGISTERED = 713;
  public static final int NOT_SUPPORTED = 801;

  private CudaCode() {}
}
