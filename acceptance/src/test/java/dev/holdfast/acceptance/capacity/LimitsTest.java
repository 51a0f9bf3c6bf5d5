package dev.holdfast.acceptance.capacity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.InsufficientSharedMemoryException;
import dev.holdfast.loader.WorkerDiedException;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Maps;
import dev.holdfast.testkit.MemoryGroup;
import dev.holdfast.testkit.ProcSelf;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Limits of the machine, of a control group and of a process. */
@ExtendWith(Leftovers.class)
@Timeout(300)
final class LimitsTest {
  private static final long MIB = 1 << 20;
  private static final long TIB = 1L << 40;

  // R20, R75
  @Test
  void absurdSizesAreRefusedAtOnceAndNoPageIsTouched() {
    try (Probe probe = Probe.behind()) {
      long before = Probe.number(probe.ok("shared"), "bytes");
      long fastest = Long.MAX_VALUE;
      for (int i = 0; i < 3; i++) {
        long start = System.nanoTime();
        String answer =
            probe.failed(InsufficientSharedMemoryException.class, "pool " + TIB + " 1 standard");
        fastest = Math.min(fastest, System.nanoTime() - start);
        assertTrue(Probe.number(answer, "bytesAsked") >= TIB, answer);
      }
      assertTrue(fastest < 1_000_000_000L, "took " + fastest + " ns");
      assertEquals(before, Probe.number(probe.ok("shared"), "bytes"));
      probe.failed(InsufficientSharedMemoryException.class, "pool " + TIB + " 1 /tmp");
      probe.failed(InsufficientSharedMemoryException.class, "ring " + TIB + " 1 standard");
      probe.failed(IllegalArgumentException.class, "pool " + Long.MAX_VALUE / 2 + " 3 standard");
      probe.failed(IllegalArgumentException.class, "pool " + Long.MAX_VALUE + " 1 standard");
      probe.failed(IllegalArgumentException.class, "ring " + Long.MAX_VALUE + " 1 standard");
      for (String size : List.of("0 1", "-1 1", "1 0", "1 -1", Long.MIN_VALUE + " 1")) {
        probe.failed(IllegalArgumentException.class, "pool " + size + " standard");
      }
      assertEquals(2, Probe.number(probe.ok("stream " + MIB + " 2 standard"), "units"));
    }
  }

  // R20
  @Test
  void arenaThatItsMemoryGroupCannotHoldIsRefusedAndNobodyIsKilled() {
    try (MemoryGroup group = MemoryGroup.create(300 * MIB);
        Probe probe = Probe.behind(group.enter())) {
      for (String place : List.of("standard", "memfd", "/dev/shm")) {
        String answer =
            probe.failed(
                InsufficientSharedMemoryException.class, "pool " + 300 * MIB + " 2 " + place);
        assertTrue(answer.contains("limit=memory cgroup " + group.folder()), answer);
        assertTrue(Probe.number(answer, "bytesFree") < 300 * MIB, answer);
      }
      probe.ok("pool " + 16 * MIB + " 4 standard");
      probe.failed(InsufficientSharedMemoryException.class, "pool " + 16 * MIB + " 16 standard");
      probe.ok("close");
      assertEquals(6, Probe.number(probe.ok("stream " + 16 * MIB + " 6 standard"), "units"));
    }
  }

  // R24
  @Test
  void tooManyOpenFilesAreSaidAndNothingIsLeftHalfMade() {
    try (Probe probe = Probe.behind("sh", "-c", "ulimit -n 64 && exec \"$0\" \"$@\"")) {
      probe.ok("load");
      probe.ok("stream 4096 2 standard");
      probe.ok("pool 4096 2 /tmp");
      probe.failed(InsufficientSharedMemoryException.class, "pool " + TIB + " 1 standard");
      probe.failed(WorkerDiedException.class, "start 0 0 nowhere");
      long before = Probe.number(probe.ok("descriptors"), "count");
      assertEquals("made", fillWithArenas(probe));
      probe.ok("close");
      probe.ok("pool 4096 2 standard");
      probe.ok("close");
      for (int left : List.of(1, 4, 9, 20)) {
        probe.ok("open " + left);
        Made made = Made.of(probe);
        String answer = probe.ask("stream 4096 2 standard");
        if (!answer.startsWith("OK")) {
          assertKeepsCause(answer);
        }
        made.assertNoMore(probe);
        probe.ok("shut");
        assertEquals(2, Probe.number(probe.ok("stream 4096 2 standard"), "units"));
      }
      probe.ok("close");
      assertTrue(Probe.number(probe.ok("descriptors"), "count") <= before + 1);
    }
  }

  /** What a process has open and mapped, and its processes, as seen from outside. */
  private record Made(List<String> open, long mapped, long children) {
    static Made of(Probe probe) {
      long pid = probe.pid();
      return new Made(
          ProcSelf.descriptors(pid).values().stream().sorted().toList(),
          Maps.ofArenas(pid).size(),
          ProcessHandle.of(pid).orElseThrow().children().count());
    }

    void assertNoMore(Probe probe) {
      Deadlines.assertEventually("it has again just " + this, () -> equals(of(probe)));
    }
  }

  private static void assertKeepsCause(String answer) {
    String[] saidAndCause = answer.toLowerCase(Locale.ROOT).split(" cause=", 2);
    assertTrue(saidAndCause[0].contains("too many open files"), answer);
    assertTrue(saidAndCause[1].contains("too many open files"), answer);
  }

  private static String fillWithArenas(Probe probe) {
    for (int i = 0; i < 64; i++) {
      Made made = Made.of(probe);
      String answer = probe.ask("pool 4096 2 " + (i % 2 == 0 ? "standard" : "/tmp"));
      if (!answer.startsWith("OK")) {
        made.assertNoMore(probe);
        assertKeepsCause(answer);
        assertTrue(
            answer.startsWith("FAILED " + InsufficientSharedMemoryException.class.getName()),
            answer);
        assertTrue(answer.toLowerCase(Locale.ROOT).contains("too many open files"), answer);
        assertTrue(answer.contains("raise the limit on open files"), answer);
        return i > 10 ? "made" : answer;
      }
    }
    return "no limit";
  }

  // R59
  @Test
  void tooManyThreadsAreSaidAndTheSameCallWorksWhenThereIsRoomAgain() {
    String[] limited = {
      "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "prlimit", "--nproc=160"
    };
    Probe.assumeWorks(Stream.concat(Stream.of(limited), Stream.of("true")).toArray(String[]::new));
    try (Probe probe = Probe.behind(limited)) {
      for (int left : List.of(0, 1, 2, 3, 4)) {
        assertTrue(saysThreads(streamWithThreads(probe, left)), () -> "left " + left);
      }
      assertEquals("0", probe.ok("children").split(" ", 2)[0], "a process or a zombie is left");
      for (int left : List.of(8, 16)) {
        assertEquals(2, Probe.number(probe.ok("stream 4096 2 standard"), "units"));
        String answer = streamWithThreads(probe, left);
        assertTrue(answer.startsWith("OK") || saysThreads(answer), () -> left + " -> " + answer);
      }
      assertEquals(2, Probe.number(probe.ok("stream 4096 2 standard"), "units"));
      assertEquals("0", probe.ok("children").split(" ", 2)[0], "a process or a zombie is left");
    }
  }

  /** Tries a run while the process can have so many more threads. */
  private static String streamWithThreads(Probe probe, int left) {
    probe.ok("threads " + left);
    String answer = probe.ask("stream 4096 2 standard");
    probe.ok("relax");
    return answer;
  }

  /** By the JVM of either process, or by the system. */
  private static boolean saysThreads(String answer) {
    String text = answer.toLowerCase(Locale.ROOT);
    boolean died =
        text.startsWith("failed " + WorkerDiedException.class.getName().toLowerCase(Locale.ROOT));
    return (died && text.matches("(?s).*(native thread|eagain|temporarily unavailable).*"))
        || text.startsWith("failed java.lang.outofmemoryerror unable to create native thread");
  }

  // R20
  @Test
  void limitOnTheSizeOfFilesIsOneToo() {
    Probe.assumeWorks("prlimit", "--version");
    try (Probe probe = Probe.behind("prlimit", "--fsize=" + 4 * MIB)) {
      for (String place :
          List.of("standard", "/dev/shm", "/tmp", "file:/dev/shm/holdfast-limited")) {
        String answer =
            probe.failed(
                InsufficientSharedMemoryException.class, "pool " + 4 * MIB + " 2 " + place);
        assertTrue(answer.contains("RLIMIT_FSIZE"), answer);
      }
      assertEquals(3, Probe.number(probe.ok("stream " + MIB + " 3 standard"), "units"));
    }
  }

  /**
   * A mapping each for the arena and the channel, however many segments and units there are. The
   * JVM itself takes a hundred and more for its threads, each of which may get a heap of malloc's.
   */
  @Test
  void aRunOfManyUnitsNeedsFewMappings() {
    try (Probe probe = Probe.behind()) {
      assertEquals(2, Probe.number(probe.ok("stream 4096 2 standard"), "units"));
      probe.ok("map 400");
      probe.ok("pool 4096 1000 standard");
      probe.ok("close");
      assertEquals(999, Probe.number(probe.ok("stream 4096 999 standard"), "units"));
      probe.ok("unmap");
    }
  }

  @Test
  void aMappingThatTheSystemRefusesIsSaidAndTheSameCallWorksWhenThereIsRoomAgain() {
    Probe.assumeWorks("prlimit", "--version");
    try (Probe probe = Probe.behind()) {
      probe.ok("pool 4096 2 standard");
      String command = "pool " + 64 * MIB + " 4 ";
      limitAddressSpace(probe, ProcSelf.statusBytes(probe.pid(), "VmSize") + 128 * MIB + ":");
      for (String place : List.of("standard", "/dev/shm", "file:/dev/shm/holdfast-unmapped")) {
        String answer = probe.failed(InsufficientSharedMemoryException.class, command + place);
        assertTrue(answer.contains("ENOMEM") && answer.contains("vm.max_map_count"), answer);
      }
      limitAddressSpace(probe, "unlimited:");
      probe.ok(command + "standard");
      probe.ok("close");
    }
  }

  private static void limitAddressSpace(Probe probe, String limit) {
    Probe.assumeWorks("prlimit", "--pid=" + probe.pid(), "--as=" + limit);
  }
}
