package dev.holdfast.arena.internal.events;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A unit was committed. */
@Name("dev.holdfast.UnitPublished")
@Label("Unit published")
@Description("A unit was committed")
@Category("Holdfast")
@Enabled(false)
@StackTrace(false)
public final class UnitPublishedEvent extends Event {
  public String arena = "";
  public long unit;
  public long bytes;
}
