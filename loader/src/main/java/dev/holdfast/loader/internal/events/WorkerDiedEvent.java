package dev.holdfast.loader.internal.events;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A worker has ended although nobody had asked it to. */
@Name("dev.holdfast.WorkerDied")
@Label("Worker died")
@Description("A worker process has ended although nobody had asked it to")
@Category("Holdfast")
@Enabled(false)
@StackTrace(false)
public final class WorkerDiedEvent extends Event {
  public long pid;
  public String how = "";
}
