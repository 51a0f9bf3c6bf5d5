package dev.holdfast.arena.internal.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.InsufficientSharedMemoryException;
import dev.holdfast.arena.internal.os.Descriptors.MountSpace;
import org.junit.jupiter.api.Test;

final class SpaceCheckTest {

  @Test
  void tightestLimitIsNamed() {
    InsufficientSharedMemoryException refused =
        assertThrows(
            InsufficientSharedMemoryException.class,
            () ->
                SpaceCheck.require("/somewhere", 5_000, 5_000, new MountSpace(4_999, 10, 5), true));
    assertEquals("mount", refused.facts().get("limit"));
    assertEquals(5_000L, refused.facts().get("bytesAsked"));
    assertEquals(4_999L, refused.facts().get("bytesFree"));
  }

  @Test
  void whatIsReservedAlreadyIsNotAskedForAgain() {
    SpaceCheck.require("/somewhere", 5_000, 1_000, new MountSpace(1_000, 10, 5), true);
  }

  @Test
  void mountWithoutFilesLeftSaysSo() { // R26
    InsufficientSharedMemoryException refused =
        assertThrows(
            InsufficientSharedMemoryException.class,
            () -> SpaceCheck.requireFile("/somewhere", 10, new MountSpace(1 << 20, 8, 0)));
    assertTrue(refused.getMessage().contains("file"), refused.getMessage());
    assertEquals((long) (1 << 20), refused.facts().get("bytesFree"));
  }

  @Test
  void mountThatCountsNoFilesIsNotRefusedForThem() {
    SpaceCheck.requireFile("/somewhere", 10, new MountSpace(1 << 20, 0, 0));
  }

  @Test
  void moreThanTheMachineHasIsRefusedForMemory() {
    InsufficientSharedMemoryException refused =
        assertThrows(
            InsufficientSharedMemoryException.class,
            () -> SpaceCheck.require("memfd", 1L << 50, 1L << 50, null, true));
    assertTrue(
        String.valueOf(refused.facts().get("limit")).matches("MemAvailable|memory cgroup.*"));
  }
}
