package dev.holdfast.loader.internal.worker;

/** How far a worker had come when it failed. */
public enum WorkerStage {
  /** It was reading its setup. */
  SETUP(0, "the worker could not read its setup"),
  /** An initializer ran. */
  INITIALIZER(1, "an initializer failed in the worker"),
  /** The source was being opened. */
  OPEN(2, "the source could not be opened in the worker"),
  /** It was attaching to the arena. */
  ARENA(3, "the worker could not open the arena"),
  /** It was serving passes. */
  SERVING(4, "the worker failed");

  private final int code;
  private final String failure;

  WorkerStage(int code, String failure) {
    this.code = code;
    this.failure = failure;
  }

  /** Returns the number that crosses to the parent. */
  int code() {
    return code;
  }

  /** Returns how errors begin; an unknown number is the last stage. */
  public static String failure(long code) {
    for (WorkerStage stage : values()) {
      if (stage.code == code) {
        return stage.failure;
      }
    }
    return SERVING.failure;
  }
}
