package dev.holdfast.acceptance.capacity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.InsufficientSharedMemoryException;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Rounds;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** A file system that is too small, in mounts that only a child process sees. */
@ExtendWith(Leftovers.class)
@Timeout(1800)
final class SmallMountTest {
  private static final long MIB = 1 << 20;
  private static final String SHM = "/dev/shm";

  private static void assertNoSpace(Probe probe, String command, long asked, String limit) {
    String answer = probe.failed(InsufficientSharedMemoryException.class, command);
    assertTrue(Probe.number(answer, "bytesAsked") >= asked, answer);
    long free = Probe.number(answer, "bytesFree");
    assertTrue(free >= 0 && free < Probe.number(answer, "bytesAsked"), answer);
    assertTrue(answer.contains("limit=" + limit), answer);
    assertTrue(answer.contains("name another folder as backing"), answer);
  }

  // R20
  @Test
  void arenaThatIsTooLargeForItsMountIsRefusedAndLeavesNothing() {
    try (Probe probe = Probe.withSharedMemory("size=4m")) {
      assertNoSpace(probe, "pool " + 8 * MIB + " 4 " + SHM, 32 * MIB, "mount");
      assertNoSpace(probe, "ring " + 32 * MIB + " 0 " + SHM, 32 * MIB, "mount");
      assertNoSpace(probe, "pool " + 8 * MIB + " 4 file:/dev/shm/named", 32 * MIB, "mount");
      assertEquals("[]", probe.ok("list 0 0 " + SHM).split(" millis", 2)[0]);
      probe.ok("pool " + 3 * MIB + " 1 " + SHM);
      assertNoSpace(probe, "pool " + 3 * MIB + " 1 " + SHM, 3 * MIB, "mount");
      probe.ok("close");
      probe.ok("fill " + 2 * MIB + " 0 /dev/shm/other");
      assertNoSpace(probe, "pool " + 3 * MIB + " 1 " + SHM, 3 * MIB, "mount");
      probe.ok("pool " + MIB + " 1 " + SHM);
      assertEquals("[other]", probe.ok("list 0 0 " + SHM).split(" millis", 2)[0]);
    }
  }

  /** Looked at as soon as it is made: what touches the pages later would take them then. */
  // R20, R22
  @Test
  void spaceIsTakenWhenAnArenaIsMadeAndNotWhenItIsTouched() {
    long size = 256 * MIB;
    try (Probe probe = Probe.withSharedMemory("size=512m")) {
      assertTrue(Probe.number(probe.ok("taken " + size + " 1 " + SHM), "bytes") >= size);
    }
  }

  // R22
  @Test
  void everyPageOfAnArenaThatWasMadeCanBeTouchedByNativeCode() {
    try (Probe probe = Probe.withSharedMemory("size=8m")) {
      assertEquals(20, Probe.number(probe.ok("stream " + 3 * MIB + " 20 " + SHM), "units"));
      assertEquals(20, Probe.number(probe.ok("stream " + 3 * MIB + " 20 standard"), "units"));
    }
  }

  // R32
  @Test
  void afterAShortageTheSameCallWorksWhenThereIsSpaceAgain() {
    try (Probe probe = Probe.withSharedMemory("size=4m")) {
      for (int round = 0; round < 10; round++) {
        probe.ok("fill " + 3 * MIB + " 0 /dev/shm/other");
        long start = System.nanoTime();
        assertNoSpace(probe, "pool " + 2 * MIB + " 1 " + SHM, 2 * MIB, "mount");
        assertTrue(System.nanoTime() - start < 10_000_000_000L);
        probe.ok("remove 0 0 /dev/shm/other");
        probe.ok("pool " + 2 * MIB + " 1 " + SHM);
        probe.ok("close");
      }
      assertEquals(5, Probe.number(probe.ok("stream " + MIB + " 5 " + SHM), "units"));
    }
  }

  // R26
  @Test
  void fileIsAllThatAnArenaTakesAndAMountWithoutFilesLeftSaysSo() {
    try (Probe probe = Probe.withSharedMemory("size=64m,nr_inodes=8")) {
      probe.ok("pool 4096 32 " + SHM);
      probe.ok("close");
      int rounds = Rounds.of(1000);
      for (int round = 0; round < rounds; round++) {
        probe.ok("pool 4096 32 " + (round % 2 == 0 ? SHM : "file:/dev/shm/named"));
        probe.ok("close");
      }
      assertEquals("[]", probe.ok("list 0 0 " + SHM).split(" millis", 2)[0]);
      int files = 0;
      while (probe.ask("fill 0 0 /dev/shm/" + files).startsWith("OK")) {
        files++;
      }
      String answer = probe.failed(InsufficientSharedMemoryException.class, "pool 4096 32 " + SHM);
      assertEquals(0, Probe.number(answer, "filesFree"), answer);
      assertTrue(Probe.number(answer, "bytesFree") > 0, answer);
      probe.ok("remove 0 0 /dev/shm/0");
      probe.ok("pool 4096 32 " + SHM);
    }
  }

  // R26
  @Test
  @Timeout(7200)
  void runsOneAfterAnotherGiveBackEveryFile() {
    try (Probe probe = Probe.withSharedMemory("size=64m,nr_inodes=8")) {
      String free = probe.ok("files 0 0 " + SHM).split(" millis", 2)[0];
      assertTrue(Probe.number(free, "free") < 8, free);
      int rounds = Rounds.of(1000, 20);
      for (int round = 0; round < rounds; round++) {
        String place = round % 2 == 0 ? SHM : "file:/dev/shm/named";
        assertEquals(3, Probe.number(probe.ok("stream 4096 3 " + place), "units"));
        assertEquals(free, probe.ok("files 0 0 " + SHM).split(" millis", 2)[0]);
      }
      assertEquals("[]", probe.ok("list 0 0 " + SHM).split(" millis", 2)[0]);
    }
  }

  // R31
  @Test
  void otherFoldersWorkWhereSharedMemoryIsSmall() {
    String mounts =
        "mount -t tmpfs -o size=1m holdfast-test /dev/shm && mount -t tmpfs -o size=64m"
            + " holdfast-test /mnt && mkdir '/mnt/with spaces and b\u00fccher' && ln -s '/mnt/with"
            + " spaces and b\u00fccher' /mnt/link";
    try (Probe probe = Probe.inNewMounts(mounts)) {
      assertNoSpace(probe, "pool " + MIB + " 2 " + SHM, 2 * MIB, "mount");
      for (String folder : new String[] {"/mnt", "/mnt/with spaces and b\u00fccher", "/mnt/link"}) {
        assertEquals(4, Probe.number(probe.ok("stream " + MIB + " 4 " + folder), "units"));
      }
      assertEquals(4, Probe.number(probe.ok("stream " + MIB + " 4 memfd"), "units"));
    }
  }

  // R31
  @Test
  void mountThatCountsNoBlocksIsNotAFullOne() {
    try (Probe probe = Probe.inNewMounts("mount -t tmpfs -o size=0 holdfast-test /mnt")) {
      assertEquals(4, Probe.number(probe.ok("stream " + MIB + " 4 /mnt"), "units"));
    }
  }

  // R31
  @Test
  void hugePagesAreAFolderToo() {
    String mounts =
        "[ $(cat /proc/sys/vm/nr_hugepages) -ge 4 ] && mount -t hugetlbfs holdfast-test /mnt";
    try (Probe probe = Probe.inNewMounts(mounts)) {
      assertEquals(4, Probe.number(probe.ok("stream " + MIB + " 4 /mnt"), "units"));
    }
  }

  // R31
  @Test
  void hugePagesThatAreNotThereAreAShortage() {
    String mounts =
        "[ $(cat /proc/sys/vm/nr_hugepages) -eq 0 ] && mount -t hugetlbfs holdfast-test /mnt";
    try (Probe probe = Probe.inNewMounts(mounts)) {
      for (String place : new String[] {"/mnt", "file:/mnt/named"}) {
        String answer =
            probe.failed(InsufficientSharedMemoryException.class, "pool " + MIB + " 4 " + place);
        assertTrue(answer.contains("/mnt"), answer);
      }
      assertEquals("[]", probe.ok("list 0 0 /mnt").split(" millis", 2)[0]);
      assertEquals(4, Probe.number(probe.ok("stream " + MIB + " 4 standard"), "units"));
    }
  }
}
