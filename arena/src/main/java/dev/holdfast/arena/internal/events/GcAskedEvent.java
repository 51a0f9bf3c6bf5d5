package dev.holdfast.arena.internal.events;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A collection was asked for because garbage kept a writer waiting. */
@Name("dev.holdfast.GcAsked")
@Label("GC asked for")
@Description("A collection was asked for because garbage kept a writer waiting")
@Category("Holdfast")
@Enabled(false)
@StackTrace(false)
public final class GcAskedEvent extends Event {
  public String arena = "";
  public long unit;
}
