package dev.holdfast.loader.internal.failure;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Writes a throwable as text, with causes and suppressed ones, cut at a size. Asks the throwable
 * itself for as little as possible and survives whatever it answers: it may be cyclic, endless, or
 * throw.
 */
public final class ThrowableText {
  private static final String CUT = "\n... cut";
  private static final int LINE_CHARS = 8 * 1024;
  private static final String NO_MESSAGE = String.valueOf((Object) null);
  private static final StackTraceElement[] NO_FRAMES = {};

  private final StringBuilder text = new StringBuilder();
  private final Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
  private final int limit;

  private ThrowableText(int limit) {
    this.limit = limit;
  }

  /** Returns the text, of at most {@code limit} characters and a mark. */
  static String of(Throwable thrown, int limit) {
    ThrowableText writer = new ThrowableText(limit);
    writer.chain("", "", thrown, NO_FRAMES);
    return cut(writer.text.toString(), limit);
  }

  /** Returns class and message on a line, whatever its own code does. */
  public static String line(Throwable thrown) {
    return thrown.getClass().getName() + ": " + cut(message(thrown), LINE_CHARS);
  }

  /** Returns the class's simple name, and the message if there is one. */
  public static String summary(Throwable thrown) {
    String name = thrown.getClass().getSimpleName();
    String message = message(thrown);
    return message.equals(NO_MESSAGE) ? name : name + ": " + message;
  }

  /** Returns the message, or why it cannot be had. */
  static String message(Throwable thrown) {
    try {
      return String.valueOf(thrown.getMessage());
    } catch (Throwable e) {
      return "message unavailable: " + e.getClass().getName();
    }
  }

  /** Cuts a text and says so. */
  static String cut(String text, int limit) {
    return text.length() <= limit ? text : text.substring(0, limit) + CUT;
  }

  /**
   * Follows causes in a loop, since a chain may be longer than the stack is deep. As the JVM does,
   * it leaves out the frames that a stack shares with the one before, so that more of a chain finds
   * room.
   */
  private void chain(
      String caption, String indent, Throwable first, StackTraceElement[] enclosingFrames) {
    String nextCaption = caption;
    StackTraceElement[] enclosing = enclosingFrames;
    @Nullable Throwable thrown = first;
    while (thrown != null && text.length() < limit) {
      text.append(indent).append(nextCaption).append(thrown.getClass().getName());
      if (!seen.add(thrown)) {
        text.append(" (seen above)\n");
        return;
      }
      text.append(": ").append(cut(message(thrown), limit)).append('\n');
      enclosing = frames(indent, thrown, enclosing);
      if (indent.length() < 8) {
        suppressed(indent, thrown, enclosing);
      }
      thrown = cause(thrown);
      nextCaption = "Caused by: ";
    }
  }

  private StackTraceElement[] frames(
      String indent, Throwable thrown, StackTraceElement[] enclosing) {
    try {
      StackTraceElement[] frames = thrown.getStackTrace();
      int shared = shared(frames, enclosing);
      for (int i = 0; i < frames.length - shared && text.length() < limit; i++) {
        text.append(indent).append("\tat ").append(frames[i]).append('\n');
      }
      if (shared > 0) {
        text.append(indent).append("\t... ").append(shared).append(" more\n");
      }
      return frames;
    } catch (Throwable e) {
      text.append(indent)
          .append("\tstack unavailable: ")
          .append(e.getClass().getName())
          .append('\n');
      return NO_FRAMES;
    }
  }

  /** Returns how many frames at their ends are the same. */
  private static int shared(StackTraceElement[] frames, StackTraceElement[] enclosing) {
    int shared = 0;
    while (shared < Math.min(frames.length, enclosing.length)
        && frames[frames.length - 1 - shared].equals(enclosing[enclosing.length - 1 - shared])) {
      shared++;
    }
    return shared;
  }

  private void suppressed(String indent, Throwable thrown, StackTraceElement[] enclosing) {
    for (Throwable other : thrown.getSuppressed()) {
      chain("Suppressed: ", indent + "\t", other, enclosing);
    }
  }

  private static @Nullable Throwable cause(Throwable thrown) {
    try {
      return thrown.getCause();
    } catch (Throwable e) {
      return null;
    }
  }
}
