package dev.holdfast.loader.internal.launch;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** Keeps the last lines of a stream in bounded memory, long lines cut. Thread-safe. */
final class LineTail {
  static final int LINES = 50;
  static final int LINE_BYTES = 1000;

  private final Deque<byte[]> lines = new ArrayDeque<>();
  private final byte[] current = new byte[LINE_BYTES];
  private int filled;
  private boolean cut;

  /** Takes bytes as they come; a line may be spread over several calls. */
  synchronized void add(byte[] bytes, int count) {
    for (int i = 0; i < count; i++) {
      if (bytes[i] == '\n') {
        lines.addLast(finished());
        filled = 0;
        cut = false;
        if (lines.size() > LINES) {
          lines.removeFirst();
        }
      } else if (filled < LINE_BYTES) {
        current[filled++] = bytes[i];
      } else {
        cut = true;
      }
    }
  }

  /** Returns the last lines, the unfinished one too. Bytes that are no UTF-8 are replaced. */
  synchronized List<String> lines() {
    List<String> text = new ArrayList<>();
    for (byte[] line : lines) {
      text.add(new String(line, StandardCharsets.UTF_8).stripTrailing());
    }
    if (filled > 0) {
      text.add(new String(finished(), StandardCharsets.UTF_8).stripTrailing());
    }
    return text.size() > LINES ? text.subList(text.size() - LINES, text.size()) : text;
  }

  private byte[] finished() {
    byte[] mark = cut ? "...".getBytes(StandardCharsets.UTF_8) : new byte[0];
    byte[] line = new byte[filled + mark.length];
    System.arraycopy(current, 0, line, 0, filled);
    System.arraycopy(mark, 0, line, filled, mark.length);
    return line;
  }
}
