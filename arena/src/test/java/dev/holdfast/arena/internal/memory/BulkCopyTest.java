package dev.holdfast.arena.internal.memory;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.Backing;
import dev.holdfast.arena.payload.PayloadHandler;
import dev.holdfast.arena.payload.PayloadHandlers;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Seeds;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.FloatBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(Leftovers.class)
@Timeout(300)
final class BulkCopyTest {
  /** So many that both ways have been tried for their size. */
  private static final int PAST_A_TRIAL = 4 * CopyChoice.COPIES_BEFORE_FIRST_TRIAL;

  private static final int EDGE = 64;
  private static final byte UNTOUCHED = 0x55;

  private interface Memory {
    MemorySegment allocate(Arena arena, long byteSize);
  }

  private static final List<Memory> KINDS =
      List.of(
          (arena, byteSize) -> MemorySegment.ofArray(new byte[(int) byteSize]),
          (arena, byteSize) ->
              MemorySegment.ofArray(new long[(int) (byteSize / 8) + 1]).asSlice(0, byteSize),
          Arena::allocate);

  @ParameterizedTest
  @ValueSource(
      longs = {
        0,
        1,
        (32 << 10) - 1,
        32 << 10,
        CopyWay.LIBRARY_PIECE - 1,
        CopyWay.LIBRARY_PIECE,
        CopyWay.LIBRARY_PIECE + 1,
        CopyWay.JVM_PIECE,
        CopyWay.JVM_PIECE + 1,
        20_000_001
      })
  void eachWayCopiesEveryByteBetweenEveryKindOfMemoryAndNoOther(long byteSize) {
    Random random = new Random(Seeds.next());
    for (CopyWay way : List.<CopyWay>of(CopyWay.JVM, CopyWay.LIBRARY, BulkCopy::copy)) {
      for (Memory from : KINDS) {
        for (Memory to : KINDS) {
          try (Arena arena = Arena.ofConfined()) {
            MemorySegment around = from.allocate(arena, byteSize + EDGE);
            int shift = random.nextInt(EDGE);
            MemorySegment source = around.asSlice(shift, byteSize);
            for (long i = random.nextInt(7); i < byteSize; i += 1 + random.nextInt(99)) {
              source.set(ValueLayout.JAVA_BYTE, i, (byte) random.nextInt());
            }
            MemorySegment whole = to.allocate(arena, byteSize + 2 * EDGE).fill(UNTOUCHED);
            int at = 1 + random.nextInt(EDGE);
            way.copy(source.asReadOnly(), whole.asSlice(at, byteSize));
            assertEquals(-1, source.mismatch(whole.asSlice(at, byteSize)));
            assertUntouched(whole.asSlice(0, at));
            assertUntouched(whole.asSlice(at + byteSize));
          }
        }
      }
    }
  }

  private static void assertUntouched(MemorySegment edge) {
    for (long i = 0; i < edge.byteSize(); i++) {
      assertEquals(UNTOUCHED, edge.get(ValueLayout.JAVA_BYTE, i));
    }
  }

  @Test
  void readOnlyMemoryIsNeverWritten() {
    MemorySegment source = MemorySegment.ofArray(new byte[64 << 10]).fill(UNTOUCHED);
    MemorySegment target = MemorySegment.ofArray(new byte[64 << 10]);
    for (int i = 0; i < PAST_A_TRIAL; i++) {
      assertThrows(
          IllegalArgumentException.class, () -> BulkCopy.copy(source, target.asReadOnly()));
      assertEquals(0, target.mismatch(source));
    }
  }

  @Test
  void memoryThatHasEndedIsNeverTouched() {
    MemorySegment heap = MemorySegment.ofArray(new byte[64 << 10]);
    MemorySegment ended;
    try (Arena arena = Arena.ofShared()) {
      ended = arena.allocate(64 << 10);
    }
    for (int i = 0; i < PAST_A_TRIAL; i++) {
      assertThrows(IllegalStateException.class, () -> BulkCopy.copy(ended, heap));
      assertThrows(IllegalStateException.class, () -> BulkCopy.copy(heap, ended));
    }
  }

  @Test
  void theLibraryMayCopyBetweenTheHeapNativeMemoryAndArenasThatAreSealed() {
    MemorySegment heap = MemorySegment.ofArray(new byte[64 << 10]);
    MemorySegment anyNative = Arena.ofAuto().allocate(64 << 10);
    try (SharedFile file = SharedFile.create(Backing.memfd(), "holdfast-test", 64 << 10)) {
      MemoryMapping mapping = file.map();
      for (MemorySegment source : List.of(heap, anyNative, mapping.segment().asReadOnly())) {
        assertTrue(BulkCopy.forAnyCode(source, mapping.segment()));
        assertTrue(BulkCopy.forAnyCode(source, heap));
        assertFalse(BulkCopy.forAnyCode(source, heap.asReadOnly()));
      }
      assertTrue(mapping.releaseNow());
    }
  }

  @Test
  void memoryThatSomebodyMayCutIsKnown(@TempDir Path folder) throws IOException {
    assertFalse(CuttableMemory.holds(MemorySegment.ofArray(new byte[8])));
    assertFalse(CuttableMemory.holds(Arena.ofAuto().allocate(8)));
    try (SharedFile file = SharedFile.create(Backing.memfd(), "holdfast-test", 10_000)) {
      MemoryMapping mapping = file.map();
      assertFalse(CuttableMemory.holds(mapping.segment()));
      assertTrue(mapping.releaseNow());
    }
    try (SharedFile file = SharedFile.create(Backing.directory(folder), "holdfast-test", 10_000)) {
      MemoryMapping mapping = file.map();
      MemorySegment segment = mapping.segment();
      assertTrue(CuttableMemory.holds(segment));
      assertTrue(CuttableMemory.holds(segment.asReadOnly().asSlice(9_999)));
      assertTrue(mapping.releaseNow());
      assertFalse(CuttableMemory.holds(segment));
    }
    Path plain = Files.write(folder.resolve("plain"), new byte[10_000]);
    try (FileChannel channel = FileChannel.open(plain)) {
      MemorySegment mapped = channel.map(FileChannel.MapMode.READ_ONLY, 0, 10_000, Arena.ofAuto());
      assertTrue(CuttableMemory.holds(mapped.asSlice(5_000)));
    }
  }

  @ParameterizedTest
  @EnumSource(MappedBy.class)
  void fileThatIsCutWhileItIsCopiedIsAnErrorAndTheProcessGoesOn(MappedBy by) {
    try (ChildJvm child =
        ChildJvm.of(Victim.class)
            .optimizing()
            .jvmArgs("-Dholdfast.jvmCopies=" + (by == MappedBy.NATIVE_CODE))
            .args(by.name())
            .start()) {
      child.awaitSuccess(Duration.ofMinutes(2));
      assertTrue(child.output().contains("failed " + 2 * PAST_A_TRIAL), child::output);
    }
  }

  enum MappedBy {
    ARENA,
    CHANNEL,
    TYPED_BUFFER,
    NATIVE_CODE
  }

  /** Copies out of a file and into it until it is cut, and after that, in a process of its own. */
  static final class Victim {
    private static final int SIZE = 64 << 10;

    private Victim() {}

    public static void main(String[] arguments) throws IOException {
      Path path = Path.of("/dev/shm/holdfast-test-victim-" + ProcessHandle.current().pid());
      MemorySegment mapped = mapped(MappedBy.valueOf(arguments[0]), path);
      MemorySegment heap = MemorySegment.ofArray(new byte[SIZE]);
      assertEquals(0, failures(mapped, heap));
      try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
        channel.truncate(0);
      }
      int failed = failures(mapped, heap);
      Files.delete(path);
      System.out.println("failed " + failed);
    }

    private static MemorySegment mapped(MappedBy by, Path path) throws IOException {
      if (by == MappedBy.ARENA) {
        try (SharedFile file = SharedFile.create(Backing.file(path), "victim", SIZE)) {
          MemorySegment mapped = file.map().segment().asSlice(0, SIZE);
          file.publishName();
          return mapped;
        }
      }
      Files.write(path, new byte[SIZE]);
      try (FileChannel channel =
          FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
        MemorySegment mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, SIZE, Arena.global());
        return switch (by) {
          case TYPED_BUFFER -> asPayload(mapped.asByteBuffer().asFloatBuffer());
          case NATIVE_CODE -> asNativeCodeGivesIt(mapped);
          default -> mapped;
        };
      }
    }

    @SuppressWarnings("unchecked")
    private static MemorySegment asPayload(FloatBuffer buffer) throws IOException {
      PayloadHandler<?> handler = PayloadHandlers.standard().claiming(buffer);
      return ((PayloadHandler<FloatBuffer>) requireNonNull(handler)).bytes(buffer);
    }

    @SuppressWarnings("restricted")
    private static MemorySegment asNativeCodeGivesIt(MemorySegment memory) {
      return MemorySegment.ofAddress(memory.address()).reinterpret(memory.byteSize());
    }

    private static int failures(MemorySegment mapped, MemorySegment heap) {
      int failures = 0;
      for (int i = 0; i < PAST_A_TRIAL; i++) {
        failures += failure(mapped, heap) + failure(heap, mapped);
      }
      return failures;
    }

    private static int failure(MemorySegment source, MemorySegment target) {
      try {
        BulkCopy.copy(source, target);
        var _ = Runtime.getRuntime().freeMemory(); // the error may come at the next native method
        return 0;
      } catch (InternalError e) {
        return 1;
      }
    }
  }
}
