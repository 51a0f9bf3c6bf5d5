package dev.holdfast.loader;

import java.io.Serializable;

/** Runs once in a worker before its source is opened. Crosses to the worker by serialization. */
@FunctionalInterface
public interface WorkerInitializer extends Serializable {

  /**
   * Prepares the worker.
   *
   * @param context the worker
   * @throws Exception when the worker cannot be used; the call that starts it fails with the reason
   */
  void run(WorkerContext context) throws Exception;
}
