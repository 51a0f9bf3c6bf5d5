package dev.holdfast.acceptance.worker;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.ProcSelf;
import java.io.UncheckedIOException;
import java.time.Duration;

/** Processes by their ids. */
final class Pids {
  private Pids() {}

  /** Returns whether a process runs; one that has ended and was not waited for does not. */
  static boolean isAlive(long pid) {
    try {
      char state = ProcSelf.state(pid);
      return state != 'X' && state != 'Z';
    } catch (UncheckedIOException e) {
      return false; // it went between two looks
    }
  }

  /** Sends SIGKILL and returns when, as {@link System#nanoTime} says. */
  static long kill(long pid) {
    ProcessHandle process = ProcessHandle.of(pid).orElseThrow();
    long now = System.nanoTime();
    assertTrue(process.destroyForcibly(), "the process takes signals");
    return now;
  }

  /** Sends SIGKILL to what a test has started and not ended, if it is still there. */
  static void killLeft(long pid) {
    ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
  }

  /** Waits a moment before the next look. */
  static void pause() {
    Deadlines.pause(Duration.ofMillis(2));
  }
}
