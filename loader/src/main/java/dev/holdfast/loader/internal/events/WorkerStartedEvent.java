package dev.holdfast.loader.internal.events;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A worker is ready; the duration is that of its start. */
@Name("dev.holdfast.WorkerStarted")
@Label("Worker started")
@Description("A worker process has opened its source")
@Category("Holdfast")
@Enabled(false)
@StackTrace(false)
public final class WorkerStartedEvent extends Event {
  public long pid;
}
