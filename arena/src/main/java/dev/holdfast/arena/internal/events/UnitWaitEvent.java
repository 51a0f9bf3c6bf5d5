package dev.holdfast.arena.internal.events;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** How long a writer waited for space. */
@Name("dev.holdfast.UnitWait")
@Label("Unit wait")
@Description("How long a writer waited for space")
@Category("Holdfast")
@Enabled(false)
@StackTrace(false)
public final class UnitWaitEvent extends Event {
  public String arena = "";
  public long unit;
}
