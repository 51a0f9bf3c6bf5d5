package dev.holdfast.acceptance.capacity;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.testkit.ChildJvm;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** A {@link Prober} as its test sees it. */
public final class Probe implements AutoCloseable {
  private final ChildJvm child;

  private Probe(ChildJvm child) {
    this.child = child;
    child.awaitLine("READY");
  }

  /** Starts one behind a command that replaces itself by the rest of the line. */
  static Probe behind(String... prefix) {
    return of(ChildJvm.of(Prober.class).prefix(prefix));
  }

  static Probe of(ChildJvm.Builder builder) {
    return new Probe(builder.jvmArgs("-Xmx64m", "-XX:+UseSerialGC").start());
  }

  /** Starts one whose {@code /dev/shm} is a file system of its own with these options. */
  static Probe withSharedMemory(String options) {
    return inNewMounts("mount -t tmpfs -o mode=1777," + options + " holdfast-test /dev/shm");
  }

  /** Starts one that runs these commands of a shell in mounts of its own first. */
  static Probe inNewMounts(String commands, String... prefix) {
    assumeWorks("unshare", "--mount", "sh", "-c", commands);
    String[] all = {"unshare", "--mount", "sh", "-c", commands + " && exec \"$0\" \"$@\""};
    return behind(Stream.concat(Stream.of(all), Stream.of(prefix)).toArray(String[]::new));
  }

  /** Skips the test where the machine refuses a command. */
  public static void assumeWorks(String... command) {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      process.getOutputStream().close();
      String output =
          new String(
              process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
      boolean ended = process.waitFor(60, TimeUnit.SECONDS);
      Assumptions.assumeTrue(
          ended && process.exitValue() == 0,
          () -> "skipped: the machine refuses " + List.of(command) + ": " + output);
    } catch (IOException e) {
      Assumptions.abort("skipped: the machine lacks " + command[0] + ": " + e.getMessage());
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while the test waited", e);
    }
  }

  long pid() {
    return child.pid();
  }

  String ask(String command) {
    child.send(command);
    return child.awaitLine(Prober.ANSWER);
  }

  /** Asks and returns what an answer that tells of success says. */
  String ok(String command) {
    String answer = ask(command);
    assertTrue(answer.startsWith("OK "), () -> command + " -> " + answer);
    return answer.substring(3);
  }

  /** Asks and returns what an answer that tells of a failure says. */
  String failed(Class<? extends Throwable> type, String command) {
    String answer = ask(command);
    assertTrue(
        answer.startsWith("FAILED " + type.getName() + " "), () -> command + " -> " + answer);
    return answer;
  }

  /** Returns what it has written to standard error. */
  String errorOutput() {
    return child.errorOutput();
  }

  static long number(String answer, String name) {
    return Long.parseLong(answer.replaceAll(".*\\b" + name + "=(-?\\d+).*", "$1"));
  }

  @Override
  public void close() {
    try {
      if (child.isAlive()) {
        ok("exit");
        child.awaitSuccess();
      }
    } finally {
      child.close();
    }
  }
}
