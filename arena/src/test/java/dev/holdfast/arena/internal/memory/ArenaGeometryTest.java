package dev.holdfast.arena.internal.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.ArenaCorruptedException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ArenaGeometryTest {
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);

  @Test
  void headerComesBackAsItWasWritten() {
    try (Arena arena = Arena.ofConfined()) {
      ArenaGeometry written = ArenaGeometry.pool(5_000, 3, 4096);
      MemorySegment memory = arena.allocate(written.fileBytes(), 4096);
      written.write(memory);
      assertEquals(written, ArenaGeometry.read(memory, memory.byteSize(), "memory"));
    }
  }

  @Test
  void segmentsStartOnPagesAndDataLieBehindTheWords() {
    ArenaGeometry geometry = ArenaGeometry.pool(4_097, 100, 4096);
    assertEquals(8192, geometry.stride());
    assertEquals(0, geometry.dataOffset() % 4096);
    assertTrue(ArenaLayout.holdingOffset(99) + ArenaLayout.WORD_BYTES <= geometry.dataOffset());
    assertEquals(geometry.dataOffset() + 100 * 8192, geometry.fileBytes());
  }

  @Test
  void hugePagesMakeHugeStrides() {
    ArenaGeometry geometry = ArenaGeometry.pool(1, 2, 2 << 20);
    assertEquals(2 << 20, geometry.stride());
    assertEquals(2 << 20, geometry.dataOffset());
  }

  @Test
  void sizesThatOverflowAreBadArguments() { // R75
    assertThrows(
        IllegalArgumentException.class, () -> ArenaGeometry.pool(Long.MAX_VALUE / 2, 3, 4096));
    assertThrows(IllegalArgumentException.class, () -> ArenaGeometry.pool(Long.MAX_VALUE, 1, 4096));
  }

  @Test
  void everyDamagedByteOfTheHeaderIsRefusedOrChangesOnlyWhoAndHowMany() { // R74
    try (Arena arena = Arena.ofConfined()) {
      ArenaGeometry written = ArenaGeometry.pool(5_000, 3, 4096);
      MemorySegment memory = arena.allocate(written.fileBytes(), 4096);
      for (long offset = 0; offset < ArenaLayout.OWNER_START_OFFSET + 8; offset++) {
        written.write(memory);
        byte damaged = (byte) (memory.get(ValueLayout.JAVA_BYTE, offset) ^ 0x80);
        memory.set(ValueLayout.JAVA_BYTE, offset, damaged);
        ArenaGeometry read;
        try {
          read = ArenaGeometry.read(memory, memory.byteSize(), "memory");
        } catch (ArenaCorruptedException e) {
          continue;
        }
        assertFalse(isFixed(offset), "nobody missed the byte at " + offset);
        // what passes must stay inside the file; attaching compares all of it with the description
        assertTrue(read.dataOffset() + read.stride() * read.segments() <= memory.byteSize());
        assertTrue(read.unitBytes() <= read.stride());
      }
    }
  }

  // R21, R74
  @Test
  void fileIsCutShortOnlyWhenTheOtherNumbersBearItsSizeOut() {
    for (ArenaGeometry written :
        List.of(ArenaGeometry.pool(5_000, 3, 4096), ArenaGeometry.ring(50_000, 4096))) {
      try (Arena arena = Arena.ofConfined()) {
        long fileBytes = written.fileBytes();
        MemorySegment memory = arena.allocate(fileBytes, 4096);
        written.write(memory);
        assertEquals("the backing file shrank", said(memory, fileBytes - 4096));
        assertEquals("the header of an arena cannot be true", said(memory, fileBytes + 4096));
        memory.set(LONG, ArenaLayout.FILE_BYTES_OFFSET, fileBytes + 4096);
        assertEquals("the header of an arena cannot be true", said(memory, fileBytes));
        assertEquals("the header of an arena cannot be true", said(memory, fileBytes - 4096));
        memory.set(LONG, ArenaLayout.FILE_BYTES_OFFSET, Long.MIN_VALUE);
        assertEquals("the header of an arena cannot be true", said(memory, fileBytes));
      }
    }
  }

  /** Returns what is said of a file of so many bytes that begins with a header. */
  private static String said(MemorySegment header, long fileBytes) {
    ArenaCorruptedException refused =
        assertThrows(
            ArenaCorruptedException.class, () -> ArenaGeometry.read(header, fileBytes, "memory"));
    return refused.getMessage().split(":", -1)[0];
  }

  /** Whether a byte belongs to a number that has one right value in a file of this size. */
  private static boolean isFixed(long offset) {
    return isWithin(offset, ArenaLayout.MAGIC_OFFSET, Long.BYTES)
        || isWithin(offset, ArenaLayout.VERSION_OFFSET, Integer.BYTES)
        || isWithin(offset, ArenaLayout.FILE_BYTES_OFFSET, Long.BYTES)
        || isWithin(offset, ArenaLayout.DATA_BYTES_OFFSET, Long.BYTES);
  }

  private static boolean isWithin(long offset, long first, long byteSize) {
    return offset >= first && offset < first + byteSize;
  }
}
