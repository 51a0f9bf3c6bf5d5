package dev.holdfast.acceptance.arena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.ArenaCorruptedException;
import dev.holdfast.arena.Backing;
import dev.holdfast.arena.OpenUnit;
import dev.holdfast.arena.Placement;
import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.arena.SharedMemoryRingBuffer;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.testkit.ChildJvm;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A file with a name. */
final class FileBackingTest extends BackingContract {

  @Override
  Backing backing() {
    return Backing.file(path());
  }

  @Override
  String kind() {
    return "file";
  }

  @Override
  Path path() {
    return folder.resolve("arena");
  }

  @Override
  int names() {
    return 1;
  }

  private void truncate(long size) throws IOException {
    try (FileChannel file = FileChannel.open(path(), StandardOpenOption.WRITE)) {
      file.truncate(size);
    }
  }

  // R21
  @Test
  void fileCutShortIsAnErrorInEveryAccessOfOurs() throws IOException {
    for (long size : new long[] {8192, 4096, 0}) {
      try (Rig rig = rig(backing())) {
        Sent sent = rig.admit(rig.write(8192));
        long full = Files.size(path());
        rig.writer().beginUnit();
        truncate(size);
        MemorySegment source = MemorySegment.ofArray(new byte[8192]);
        ArenaCorruptedException writing =
            assertThrows(
                ArenaCorruptedException.class,
                () -> {
                  Placement written = rig.writer().writeBinary(source);
                  assertEquals(8192, written.byteSize());
                });
        assertShrank(full, size, writing.getMessage());
        if (size == 0) {
          for (Executable call :
              List.<Executable>of(
                  rig.writer()::commitUnit,
                  () -> rig.admit(sent.withUnit(1)),
                  rig.arena::stats,
                  rig.arena::shutdown)) {
            ArenaCorruptedException e = assertThrows(ArenaCorruptedException.class, call);
            assertShrank(full, size, e.getMessage());
          }
        }
        discardOrReport(rig, sent);
      }
      assertEquals(List.of(), files());
    }
  }

  private void assertShrank(long full, long found, String message) {
    String said =
        "the backing file shrank: place=%s expectedBytes=%d foundBytes=%d"
            .formatted(path(), full, found);
    assertTrue(message.contains(said), () -> message + " does not say: " + said);
  }

  private SharedMemoryArena arena(boolean pool) {
    return pool
        ? SharedMemorySegmentPool.builder(8192, 3).backing(backing()).build()
        : SharedMemoryRingBuffer.builder(3 * 8192).backing(backing()).build();
  }

  // R21
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void fileCutShortIsNamedWithBothSizesInEveryProcessThatHasIt(boolean pool) throws IOException {
    try (Rig rig = new Rig(arena(pool));
        RemoteEndpoint remote = RemoteEndpoint.attach(rig.arena);
        RemoteEndpoint late = RemoteEndpoint.attach(rig.arena)) {
      long full = Files.size(path());
      remote.call("writer");
      Sent sent = rig.admit(remote.write(1, 8192).getFirst());
      truncate(4096);
      assertShrank(full, 4096, late.callFailing("reader", ArenaCorruptedException.class));
      ArenaCorruptedException byName =
          assertThrows(
              ArenaCorruptedException.class,
              () ->
                  (pool
                          ? SharedMemorySegmentPool.attach(path())
                          : SharedMemoryRingBuffer.attach(path()))
                      .close());
      assertShrank(full, 4096, byName.getMessage());
      assertShrank(full, 4096, remote.callFailing("write 1 8192", ArenaCorruptedException.class));
      if (!pool) {
        OpenUnit open = rig.reader().beginUnit(sent.receipt(), ViewScope.CONFINED);
        ArenaCorruptedException reading =
            assertThrows(
                ArenaCorruptedException.class,
                () -> open.readBinary(sent.placements().getFirst().offset(), 8192));
        assertShrank(full, 4096, reading.getMessage());
        open.endUnit(List.of()).close();
      }
      truncate(0);
      assertShrank(full, 0, late.callFailing("writer", ArenaCorruptedException.class));
      assertShrank(full, 0, remote.callFailing("shutdown", ArenaCorruptedException.class));
      remote.exit();
      late.exit();
    }
    assertEquals(List.of(), files());
  }

  // R21
  @Test
  void fileCutToNothingCannotBeAttachedToAndIsNamed() throws IOException {
    try (Rig rig = rig(backing())) {
      for (long size : new long[] {100, 0}) {
        truncate(size);
        ArenaCorruptedException refused =
            assertThrows(
                ArenaCorruptedException.class,
                () -> SharedMemorySegmentPool.attach(path()).close());
        assertTrue(
            refused.getMessage().contains("place=" + path().toString()), refused::getMessage);
      }
      assertThrows(ArenaCorruptedException.class, rig::reclaimed);
    }
  }

  @Test
  void fileCutShortUnderCompiledCodeIsAnErrorOfTheCallAndKeepsNothing() throws IOException {
    try (Rig rig = rig(backing())) {
      for (int unit = 0; unit < 30_000; unit++) {
        rig.admitAndDiscard(rig.write(77));
        assertEquals(unit + 1, rig.reclaimed());
      }
      Sent sent = rig.admit(rig.write(77));
      truncate(0);
      for (int call = 0; call < 100; call++) {
        assertThrows(ArenaCorruptedException.class, rig.arena::stats);
        assertThrows(ArenaCorruptedException.class, rig.arena::shutdown);
        assertThrows(ArenaCorruptedException.class, () -> rig.admit(sent.withUnit(1)));
      }
      discardOrReport(rig, sent);
    }
    assertEquals(List.of(), files());
  }

  /**
   * The fault comes at the access or, for compiled code, a little later; the unit is given back.
   */
  private static void discardOrReport(Rig rig, Sent sent) {
    try {
      rig.reader().discard(sent.receipt());
    } catch (ArenaCorruptedException e) {
      assertTrue(e.getMessage().startsWith("the backing file shrank: place=/"), e::getMessage);
    }
  }

  @Test
  void fileInUseIsRefusedAndNamed() {
    try (ChildJvm child = child("once").start()) {
      child.awaitLine("MADE");
      IllegalArgumentException refused =
          assertThrows(IllegalArgumentException.class, () -> rig(backing()).close());
      assertTrue(refused.getMessage().contains(path().toString()), refused::getMessage);
      child.send("end");
      child.awaitSuccess();
    }
    rig(backing()).close();
  }

  @Test
  void foreignFileIsNeverTouched() throws IOException {
    Files.writeString(path(), "not an arena");
    assertThrows(IllegalArgumentException.class, () -> rig(backing()).close());
    assertEquals("not an arena", Files.readString(path()));
    Files.delete(path());
  }

  @Test
  void processThatDoesNotDescendFromTheOwnerAttachesByName() {
    try (ChildJvm owner = child("once").start()) {
      owner.awaitLine("MADE");
      try (Rig rig = new Rig(SharedMemorySegmentPool.attach(path()))) {
        assertEquals(3, ((SharedMemorySegmentPool) rig.arena).count());
        assertEquals(1, rig.arena.stats().published());
        assertThrows(IllegalStateException.class, rig::writer);
        try (RemoteEndpoint next = RemoteEndpoint.attach(rig.arena)) {
          String refused = next.callFailing("writer", IllegalStateException.class);
          assertTrue(refused.contains("the writer is held already"), refused);
          next.exit();
        }
      }
      assertTrue(Files.exists(path()), "an attacher never removes a name");
      owner.send("end");
      owner.awaitSuccess();
    }
    assertThrows(IllegalStateException.class, () -> SharedMemorySegmentPool.attach(path()).close());
  }

  // R20, R32
  @Test
  void poolLargerThanItsMountIsRefusedAndASmallerOneFitsAfterwards() {
    assertLackOfSpaceIsAnError(childOnSmallMount("size=4m", "large", String.valueOf(32 << 20)));
  }

  // R20
  @Test
  void secondPoolAndAMountFilledByOthersAreRefused() {
    assertLackOfSpaceIsAnError(
        childOnSmallMount("size=4m", "second", folder.resolve("filler").toString()));
  }
}
