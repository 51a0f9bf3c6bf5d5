package dev.holdfast.testkit.cuda;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Assertions;

/**
 * Replays the log of the stub driver and finds what a program did wrong: registrations that are
 * ended twice, too early, too late or never; copies whose memory went before they had completed;
 * things that were not given back; contexts that stay current on a thread.
 *
 * <p>What a call did counts, and not what it returned: a registration that was reported as refused
 * and took effect must be ended like any other. Handles are another matter, as a program that was
 * told of a failure has none.
 */
public final class StubLog {
  private static final String REGISTER = "cuMemHostRegister";
  private static final String UNREGISTER = "cuMemHostUnregister";
  private static final String FREE = "cuMemFree";
  private static final long NOT_REGISTERED = 713;

  private final List<Line> lines;

  /**
   * One event.
   *
   * @param number its place in the log
   * @param event what happened
   * @param values the rest of the line
   */
  public record Line(int number, String event, Map<String, String> values) {

    static Line parse(String text) {
      String[] words = text.split(" ", -1);
      Map<String, String> values = new HashMap<>();
      for (int i = 2; i < words.length; i++) {
        int equals = words[i].indexOf('=');
        values.put(words[i].substring(0, equals), words[i].substring(equals + 1));
      }
      return new Line(Integer.parseInt(words[0]), words[1], values);
    }

    /**
     * Returns a value that every line of this event has.
     *
     * @param name its name
     * @return the value
     */
    public String text(String name) {
      String value = values.get(name);
      return value == null ? Assertions.fail("no " + name + " in " + this) : value;
    }

    /**
     * Returns a number that every line of this event has.
     *
     * @param name its name
     * @return the number
     */
    public long value(String name) {
      return Long.decode(text(name));
    }

    boolean done() {
      return value("done") == 1;
    }
  }

  private StubLog(List<Line> lines) {
    this.lines = lines;
  }

  /**
   * Reads a log file as far as it is written.
   *
   * @param file the log
   * @return its lines
   */
  public static StubLog read(Path file) {
    try {
      return of(Files.readAllLines(file, StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Takes lines as a log file has them.
   *
   * @param lines the lines
   * @return the log
   */
  public static StubLog of(List<String> lines) {
    return new StubLog(lines.stream().filter(line -> !line.isBlank()).map(Line::parse).toList());
  }

  /**
   * Returns the lines of one event that took effect.
   *
   * @param event a function without its version, or another event
   * @return the lines in order
   */
  public List<Line> done(String event) {
    return lines.stream().filter(line -> line.event.equals(event) && line.done()).toList();
  }

  /**
   * Returns how many lines an event has, whether or not it took effect.
   *
   * @param event a function without its version, or another event
   * @return the count
   */
  public long count(String event) {
    return lines.stream().filter(line -> line.event.equals(event)).count();
  }

  /**
   * Returns how many copies used memory that was never registered, which is legal.
   *
   * @return the count
   */
  public long pageableCopies() {
    return lines.stream()
        .filter(line -> line.event.startsWith("cuMemcpy") && line.done())
        .filter(line -> line.value("registered") == 0)
        .count();
  }

  /** Fails when the program did anything wrong so far. */
  public void assertClean() {
    List<String> found = violations(false);
    Assertions.assertTrue(found.isEmpty(), () -> String.join("\n", found) + "\n" + this);
  }

  /** Fails when the program did anything wrong, or has not given everything back. */
  public void assertCleanAndOver() {
    List<String> found = violations(true);
    Assertions.assertTrue(found.isEmpty(), () -> String.join("\n", found) + "\n" + this);
  }

  /**
   * Replays the log.
   *
   * @param over whether everything must have been given back at its end
   * @return what the program did wrong, a sentence each
   */
  public List<String> violations(boolean over) {
    Replay replay = new Replay();
    lines.forEach(replay::step);
    if (over) {
      replay.requireNothingLeft();
    }
    return replay.violations;
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (Line line : lines) {
      text.append(line.number).append(' ').append(line.event).append(' ').append(line.values);
      text.append('\n');
    }
    return text.toString();
  }

  private static final class Replay {
    private final List<String> violations = new ArrayList<>();
    private final Map<Long, Long> registered = new HashMap<>();
    private final Set<Long> refusedUnregisters = new HashSet<>();
    private final Map<Long, Line> copies = new HashMap<>();
    private final Set<Long> deviceMemory = new HashSet<>();
    private final Set<Long> streams = new HashSet<>();
    private final Set<Long> events = new HashSet<>();
    private final Map<Long, Integer> contexts = new HashMap<>();
    private final Set<Long> misled = new HashSet<>();

    void step(Line line) {
      switch (line.event) {
        case "cuCtxPushCurrent" -> pushed(line);
        case "cuCtxPopCurrent" -> popped(line);
        case "violation" -> wrong(line, line.text("what"));
        case REGISTER -> register(line);
        case UNREGISTER -> unregister(line);
        case "cuMemcpyHtoDAsync", "cuMemcpyDtoHAsync" -> copy(line);
        case "completed" -> completed(line);
        case "cuMemAlloc" -> made(line, deviceMemory, "device");
        case FREE -> free(line);
        case "cuStreamCreate" -> made(line, streams, "stream");
        case "cuStreamDestroy" -> {
          ended(line, streams, "stream");
          if (line.done() && line.value("pending") > 0) {
            wrong(line, "a stream was destroyed before its work was done");
          }
        }
        case "cuEventCreate" -> made(line, events, "event");
        case "cuEventDestroy" -> ended(line, events, "event");
        default -> {}
      }
    }

    private void wrong(Line line, String what) {
      violations.add(line.number + ": " + what + ": " + line.values);
    }

    private void pushed(Line line) {
      if (line.done() && line.value("code") != 0) {
        misled.add(line.value("thread")); // for it nothing is to be popped
      } else if (line.done()) {
        contexts.merge(line.value("thread"), 1, Integer::sum);
      }
    }

    /** The log may begin between a push and its pop. */
    private void popped(Line line) {
      if (line.done()) {
        contexts.computeIfPresent(
            line.value("thread"), (thread, depth) -> depth == 1 ? null : depth - 1);
      } else {
        misled.add(line.value("thread")); // refused, and nobody can do more
      }
    }

    private void register(Line line) {
      long address = line.value("address");
      long bytes = line.value("bytes");
      if (bytes <= 0) {
        wrong(line, "zero bytes were registered");
      }
      if (address % 4096 != 0) {
        wrong(line, "a registration does not begin at a page");
      }
      if (!line.done()) {
        return;
      }
      registered.forEach(
          (other, otherBytes) -> {
            if (address < other + otherBytes && other < address + bytes) {
              wrong(line, "memory was registered twice");
            }
          });
      registered.put(address, bytes);
    }

    private void unregister(Line line) {
      long address = line.value("address");
      if (line.value("mapped") == 0) {
        wrong(line, "memory was unmapped before it was unregistered");
      }
      if (line.value("inflight") > 0) {
        wrong(line, "memory was unregistered under a copy");
      }
      if (!line.done()) {
        if (line.value("code") == NOT_REGISTERED && !refusedUnregisters.contains(address)) {
          wrong(line, "memory was unregistered that was not registered");
        }
        return;
      }
      if (line.value("code") != 0) {
        refusedUnregisters.add(address); // took effect, though the program was told otherwise
      }
      if (registered.remove(address) == null) {
        wrong(line, "memory was unregistered that was not registered");
      }
    }

    private void copy(Line line) {
      if (!line.done()) {
        return;
      }
      copies.put(line.value("id"), line);
      if (!streams.contains(line.value("stream")) && line.value("stream") != 0) {
        wrong(line, "a copy was asked of an unknown stream");
      }
      if (!deviceMemory.contains(line.value("device")) && !insideDeviceMemory(line)) {
        wrong(line, "a copy uses unknown device memory");
      }
    }

    private boolean insideDeviceMemory(Line line) {
      return deviceMemory.stream().anyMatch(start -> start <= line.value("device"));
    }

    private void completed(Line line) {
      if (copies.remove(line.value("id")) == null) {
        wrong(line, "a copy completed that nobody had asked for");
      }
      if (!line.text("status").equals("ok")) {
        wrong(line, "a copy found its memory " + line.text("status"));
      }
    }

    private void free(Line line) {
      if (line.value("inflight") > 0) {
        wrong(line, "device memory was freed under a copy");
      }
      if (line.value("code") != 0 && !line.done()) {
        deviceMemory.remove(line.value("device")); // refused, and nobody can do more
        return;
      }
      ended(line, deviceMemory, "device");
    }

    private void made(Line line, Set<Long> living, String name) {
      if (line.done() && line.value("code") == 0 && !living.add(line.value(name))) {
        wrong(line, "made twice");
      }
    }

    private void ended(Line line, Set<Long> living, String name) {
      if (!line.done()) {
        living.remove(line.value(name)); // refused, and nobody can do more
      } else if (!living.remove(line.value(name))) {
        wrong(line, "given back what was not there");
      }
    }

    void requireNothingLeft() {
      registered.forEach(
          (address, bytes) ->
              violations.add("end: still registered: 0x" + Long.toHexString(address)));
      copies.forEach((id, line) -> violations.add("end: never completed: " + line.values));
      report("device memory", deviceMemory);
      report("stream", streams);
      report("event", events);
      contexts.keySet().removeAll(misled);
      contexts.forEach(
          (thread, depth) -> violations.add("end: contexts stay current: thread " + thread));
    }

    private void report(String what, Set<Long> left) {
      left.forEach(
          handle ->
              violations.add("end: not given back: " + what + " 0x" + Long.toHexString(handle)));
    }
  }
}
