package dev.holdfast.arena.internal.events;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A lease was dropped without a close. */
@Name("dev.holdfast.LeaseLeaked")
@Label("Lease leaked")
@Description("A lease was dropped without a close")
@Category("Holdfast")
@Enabled(false)
@StackTrace(false)
public final class LeaseLeakedEvent extends Event {
  public String arena = "";
  public long unit;
}
