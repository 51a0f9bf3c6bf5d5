package dev.holdfast.arena.internal.life;

import org.jspecify.annotations.Nullable;

/**
 * Remembers where leases and holds were taken when the system property {@code holdfast.trace} is
 * true.
 */
public final class Tracing {
  private static final boolean ON = Boolean.getBoolean("holdfast.trace");

  private Tracing() {}

  /** Returns the place of the call, or null when tracing is off. */
  static @Nullable Throwable here() {
    return ON ? new Throwable("taken here") : null;
  }

  /** Returns the first frame outside Holdfast, or how to get it. */
  static String place(@Nullable Throwable trace) {
    if (trace == null) {
      return "unknown (start the JVM with -Dholdfast.trace=true)";
    }
    for (StackTraceElement frame : trace.getStackTrace()) {
      if (!frame.getClassName().startsWith("dev.holdfast.arena.")
          && !frame.getClassName().startsWith("dev.holdfast.loader.")) {
        return frame.toString();
      }
    }
    return "inside Holdfast";
  }
}
