package dev.holdfast.acceptance.capacity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.InsufficientSharedMemoryException;
import dev.holdfast.testkit.Leftovers;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Systems that refuse memory without a name, and whose {@code /dev/shm} cannot be used. */
@ExtendWith(Leftovers.class)
@Timeout(300)
final class RefusedMemfdTest {
  private static final String READ_ONLY = "mount -t tmpfs -o ro,size=1m holdfast-test /dev/shm";

  /** A {@code /dev} that has what a JVM needs and nothing else. */
  private static final String MISSING =
      "mount -t tmpfs -o mode=755 holdfast-test /mnt"
          + " && for d in null zero full random urandom; do"
          + " : > /mnt/$d && mount --bind /dev/$d /mnt/$d || exit 1; done"
          + " && ln -s /proc/self/fd /mnt/fd && mount --rbind /mnt /dev";

  private static final String[] WITHOUT_MEMFD = {
    "strace",
    "-f",
    "-qq",
    "-o",
    "/dev/null",
    "--seccomp-bpf",
    "-e",
    "trace=memfd_create",
    "-e",
    "inject=memfd_create:error=EPERM"
  };

  private static void assumeStrace() {
    Probe.assumeWorks(
        Stream.concat(Stream.of(WITHOUT_MEMFD), Stream.of("true")).toArray(String[]::new));
  }

  /** The memory of what is made lies there, and the log has said so once. */
  private static void assertFallsBackTo(Probe probe, String folder) {
    probe.ok("pool 4096 2 standard");
    probe.ok("ring 4096 0 standard");
    String places = probe.ok("places");
    assertEquals(2, places.split(folder + "/", -1).length - 1, places);
    assertEquals(3, Probe.number(probe.ok("stream 50000 3 standard"), "units"));
    String log = probe.errorOutput();
    assertEquals(2, log.split("memfd is refused here", -1).length, log);
    assertTrue(log.contains("arenas lie in " + folder), log);
    probe.failed(UnsupportedOperationException.class, "pool 4096 2 memfd");
    probe.ok("close");
    assertTrue(!probe.ok("places").contains(folder));
  }

  @Test
  void arenasLieInSharedMemoryThenAndOneThatInsistsOnMemfdIsRefused() {
    assumeStrace();
    try (Probe probe = Probe.behind(WITHOUT_MEMFD)) {
      assertFallsBackTo(probe, "/dev/shm");
    }
  }

  @Test
  void withAReadOnlySharedMemoryTheyLieInTheTemporaryFolder() {
    assumeStrace();
    try (Probe probe = Probe.inNewMounts(READ_ONLY, WITHOUT_MEMFD)) {
      assertFallsBackTo(probe, System.getProperty("java.io.tmpdir"));
    }
  }

  @Test
  void withoutASharedMemoryTheyLieInTheTemporaryFolder() {
    assumeStrace();
    try (Probe probe = Probe.inNewMounts(MISSING, WITHOUT_MEMFD)) {
      assertFallsBackTo(probe, System.getProperty("java.io.tmpdir"));
    }
  }

  @Test
  void aSharedMemoryThatCannotBeWrittenToIsNotNeededAndIsNamedWhenItIsAskedFor() {
    try (Probe probe = Probe.inNewMounts(READ_ONLY)) {
      assertEquals(3, Probe.number(probe.ok("stream 50000 3 standard"), "units"));
      for (String place : new String[] {"/dev/shm", "file:/dev/shm/named"}) {
        String answer =
            probe.failed(InsufficientSharedMemoryException.class, "pool 4096 2 " + place);
        assertTrue(answer.contains("/dev/shm") && answer.contains("ead-only"), answer);
      }
    }
  }

  @Test
  void aSharedMemoryThatIsMissingIsNotNeededAndIsNamedWhenItIsAskedFor() {
    try (Probe probe = Probe.inNewMounts(MISSING)) {
      assertEquals(3, Probe.number(probe.ok("stream 50000 3 standard"), "units"));
      for (String place : new String[] {"/dev/shm", "file:/dev/shm/named"}) {
        String answer = probe.failed(IllegalArgumentException.class, "pool 4096 2 " + place);
        assertTrue(answer.contains("/dev/shm"), answer);
      }
    }
  }
}
