package dev.holdfast.testkit;

import java.util.ArrayDeque;
import java.util.Deque;

/** The last lines of an output. Thread-safe. */
final class BoundedText {
  private static final int MOST_LINES = 2000;

  private final Deque<String> lines = new ArrayDeque<>();
  private long dropped;

  synchronized void add(String line) {
    lines.add(line);
    if (lines.size() > MOST_LINES) {
      lines.remove();
      dropped++;
    }
  }

  @Override
  public synchronized String toString() {
    String text = String.join("\n", lines);
    return dropped == 0 ? text : "(" + dropped + " lines before)\n" + text;
  }
}
