package dev.holdfast.arena.internal.os;

import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A process told apart from a later one with the same pid.
 *
 * @param pid its number
 * @param startTicks when it started, in clock ticks since boot (field 22 of {@code /proc/PID/stat},
 *     proc(5))
 */
public record ProcessIdentity(long pid, long startTicks) implements Serializable {
  private static final long serialVersionUID = 1L;

  private static final char UNKNOWN = '?';
  private static final int STATE = 0;
  private static final int START_TIME = 19;

  private static final class Current {
    static final ProcessIdentity IDENTITY = readCurrent();
  }

  /** Returns this process. */
  public static ProcessIdentity current() {
    return Current.IDENTITY;
  }

  /** Returns the process that has a pid now, a zombie too, or null when there is none. */
  public static @Nullable ProcessIdentity of(long pid) {
    try {
      String[] fields = fields(String.valueOf(pid));
      return fields == null ? null : new ProcessIdentity(pid, Long.parseLong(fields[START_TIME]));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot tell whether process " + pid + " lives", e);
    }
  }

  /** Returns whether this very process exists and is neither a zombie nor dead. */
  public boolean isAlive() {
    return state() != 'X';
  }

  /**
   * Returns the state letter of {@code /proc/PID/stat}, or X when the process is gone, a zombie, or
   * another.
   */
  public char state() {
    String[] fields;
    try {
      fields = fields(String.valueOf(pid));
    } catch (IOException e) {
      return UNKNOWN; // for lack of descriptors, say: no proof of a death
    }
    if (fields == null || Long.parseLong(fields[START_TIME]) != startTicks) {
      return 'X';
    }
    char state = fields[STATE].charAt(0);
    return state == 'Z' || state == 'x' ? 'X' : state;
  }

  private static ProcessIdentity readCurrent() {
    String[] fields;
    try {
      fields = fields("self");
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read /proc/self/stat", e);
    }
    if (fields == null) {
      throw new UnsupportedOperationException(
          "cannot read /proc/self/stat; Holdfast needs a mounted /proc");
    }
    return new ProcessIdentity(ProcessHandle.current().pid(), Long.parseLong(fields[START_TIME]));
  }

  /** Returns the fields behind the name, which is in brackets and may hold anything. */
  private static String @Nullable [] fields(String process) throws IOException {
    try {
      byte[] bytes = Files.readAllBytes(Path.of("/proc", process, "stat"));
      String line = new String(bytes, StandardCharsets.ISO_8859_1);
      return line.substring(line.lastIndexOf(')') + 2).trim().split(" ", -1);
    } catch (NoSuchFileException e) {
      return null;
    } catch (IOException e) {
      if (String.valueOf(e.getMessage()).contains("No such process")) {
        return null; // it ended while its file was read
      }
      throw e;
    }
  }
}
