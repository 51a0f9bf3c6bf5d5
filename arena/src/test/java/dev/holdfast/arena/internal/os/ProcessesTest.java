package dev.holdfast.arena.internal.os;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.ProcSelf;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Watches of processes, with a pidfd and where the kernel refuses one. */
@ExtendWith(Leftovers.class)
@Timeout(120)
final class ProcessesTest {
  private static Processes.Watch watch(ProcessIdentity watched, boolean pidfd) {
    return pidfd
        ? new Processes.Watch(watched)
        : new Processes.Watch(watched, Processes.Watch.NONE);
  }

  private static ProcessIdentity identity(long pid) {
    ProcessIdentity identity = ProcessIdentity.of(pid);
    assertNotNull(identity, () -> "no process " + pid);
    return identity;
  }

  // R38
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aProcessWhosePidAnotherOneHasNowIsGone(boolean pidfd) {
    ProcessIdentity self = ProcessIdentity.current();

    assertTrue(watch(self, pidfd).lives());
    for (int earlier : new int[] {1, 1000}) {
      assertFalse(
          watch(new ProcessIdentity(self.pid(), self.startTicks() - earlier), pidfd).lives());
    }
  }

  // R36
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aProcessThatHasEndedIsGoneThoughNobodyHasWaitedForIt(boolean pidfd) throws IOException {
    Process indifferent = new ProcessBuilder("sh", "-c", "sleep 600 >&- & echo $!; wait").start();
    long child = 0;
    try (BufferedReader output = indifferent.inputReader(StandardCharsets.US_ASCII)) {
      child = Long.parseLong(output.readLine());
      ChildJvm.signal(indifferent.pid(), ChildJvm.SIGSTOP);
      Processes.Watch watch = watch(identity(child), pidfd);
      assertTrue(watch.lives());

      assertTrue(Processes.kill(child, Processes.SIGKILL));

      Deadlines.assertEventually("its end is seen", () -> !watch.lives());
      assertEquals('Z', ProcSelf.state(child));
      assertFalse(watch(identity(child), pidfd).lives());
    } finally {
      indifferent.destroyForcibly();
      if (child != 0) {
        ProcessHandle.of(child).ifPresent(ProcessHandle::destroyForcibly);
      }
    }
  }

  // R36
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aProcessThatWasWaitedForIsGone(boolean pidfd) throws Exception {
    Process process = new ProcessBuilder("sleep", "600").start();
    Processes.Watch watch = watch(identity(process.pid()), pidfd);
    assertTrue(watch.lives());

    process.destroyForcibly();
    assertEquals(128 + Processes.SIGKILL, process.waitFor());

    assertFalse(watch.lives());
  }
}
