package dev.holdfast.arena.internal.events;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A unit was given back, and how long it was held. */
@Name("dev.holdfast.UnitHeld")
@Label("Unit held")
@Description("A unit was given back, and how long it was held")
@Category("Holdfast")
@Enabled(false)
@StackTrace(false)
public final class UnitHeldEvent extends Event {
  public String arena = "";
  public long unit;
  public String holder = "";
  public long heldMillis;
}
