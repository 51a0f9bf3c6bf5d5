package dev.holdfast.loader.internal.worker;

import dev.holdfast.loader.WorkerContext;

/** What user code learns about its worker. */
record Context(int index, int count, long seed, Control control) implements WorkerContext {

  @Override
  public boolean stopRequested() {
    return control.stopRequested();
  }
}
