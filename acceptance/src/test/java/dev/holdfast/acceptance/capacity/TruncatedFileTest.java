package dev.holdfast.acceptance.capacity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.ArenaCorruptedException;
import dev.holdfast.arena.Backing;
import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.arena.SharedMemoryRingBuffer;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.loader.Lease;
import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.SubprocessOptions;
import dev.holdfast.loader.WorkerSource;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Parent;
import dev.holdfast.testkit.ProcSelf;
import dev.holdfast.testkit.Stamps;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.ObjIntConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Somebody else cuts the file behind an arena short. R21 */
@ExtendWith(Leftovers.class)
@Timeout(300)
final class TruncatedFileTest {
  private static final int SIZE = 1 << 20;

  private static int truncate(String file, long size) throws Exception {
    Process truncate =
        new ProcessBuilder("truncate", "-s", String.valueOf(size), file)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    assertTrue(truncate.waitFor(60, TimeUnit.SECONDS));
    return truncate.exitValue();
  }

  private static WorkerSource<MemorySegment> endless() {
    return Sizes.counting(Integer.MAX_VALUE, unit -> Stamps.payload(SIZE, unit, 0));
  }

  /** Arrays, which the parent copies out of the file. */
  private static WorkerSource<byte[]> endlessArrays() {
    return Sizes.counting(
        Integer.MAX_VALUE, unit -> Stamps.payload(SIZE, unit, 0).toArray(ValueLayout.JAVA_BYTE));
  }

  @ParameterizedTest
  @CsvSource({
    "4096,pool,views",
    "0,pool,views",
    "4096,pool,arrays",
    "0,pool,arrays",
    "4096,ring,views",
    "0,ring,arrays"
  })
  void namedFileThatShrinksIsATypedErrorInBothProcessesAndTheRunEnds(
      long size, String kind, String items) {
    try (ChildJvm child =
        ChildJvm.of(Victim.class)
            .optimizing()
            .args(String.valueOf(size), kind, items)
            .jvmArgs("-Xmx64m")
            .start()) {
      child.awaitSuccess(Duration.ofMinutes(2));
      assertFalse(child.output().contains("items 0 "), child::output);
    }
  }

  /** Streams through a named file until it is cut, in a process that could be killed by it. */
  static final class Victim {
    private Victim() {}

    public static void main(String[] arguments) throws Exception {
      Path file = Path.of("/dev/shm/holdfast-victim-" + ProcessHandle.current().pid());
      Duration limit = Duration.ofSeconds(5);
      Backing backing = Backing.file(file);
      SharedMemoryArena arena =
          arguments[1].equals("pool")
              ? SharedMemorySegmentPool.builder(SIZE, 4)
                  .backing(backing)
                  .acquireTimeout(limit)
                  .build()
              : SharedMemoryRingBuffer.builder(4L * SIZE)
                  .backing(backing)
                  .acquireTimeout(limit)
                  .build();
      SubprocessOptions options =
          SubprocessOptions.builder()
              .arena(arena)
              .timeout(Duration.ofSeconds(20))
              .jvmArgs("-Xmx64m")
              .build();
      if (arguments[2].equals("views")) {
        iterate(endless(), options, file, Long.parseLong(arguments[0]), Victim::verify);
      } else {
        iterate(
            endlessArrays(),
            options,
            file,
            Long.parseLong(arguments[0]),
            (array, unit) -> Stamps.verify(MemorySegment.ofArray(array), unit, 0));
      }
    }

    private static <T> void iterate(
        WorkerSource<T> source,
        SubprocessOptions options,
        Path file,
        long size,
        ObjIntConsumer<T> verifying)
        throws Exception {
      long full = Files.size(file);
      try (SubprocessIterable<T> items = Subprocess.iterate(source, options)) {
        Iterator<Lease<T>> leases = items.leases().iterator();
        int unit = 0;
        ArenaCorruptedException corrupted = null;
        while (corrupted == null) {
          if (unit == 20) {
            assertEquals(0, truncate(file.toString(), size));
          }
          try (Lease<T> lease = leases.next()) {
            verifying.accept(lease.item(), unit++);
          } catch (ArenaCorruptedException e) {
            corrupted = e;
          }
          assertTrue(unit < 40, "it goes on with a file that is gone");
        }
        Parent.say("items " + unit + " then " + corrupted);
        assertTrue(unit >= 20);
        String said =
            "the backing file shrank: place=%s expectedBytes=%d foundBytes=%d"
                .formatted(file, full, size);
        assertTrue(corrupted.getMessage().contains(said), corrupted::toString);
      }
    }

    /** A view in the user's hands throws what the JVM throws, and never shows other bytes. */
    private static void verify(MemorySegment view, int unit) {
      try {
        Stamps.verify(view, unit, 0);
      } catch (InternalError e) {
        Parent.say("view of unit " + unit + ": " + e);
      }
    }
  }

  @Test
  void memfdCannotBeCutAndTheRunGoesOn() throws Exception {
    try (SubprocessIterable<MemorySegment> items =
        Subprocess.iterate(
            endless(),
            SubprocessOptions.builder().arena(new SharedMemorySegmentPool(SIZE, 4)).build())) {
      Iterator<Lease<MemorySegment>> leases = items.leases().iterator();
      for (int unit = 0; unit < 20; unit++) {
        if (unit == 10) {
          for (Map.Entry<Integer, String> open : ProcSelf.descriptors().entrySet()) {
            if (open.getValue().startsWith("/memfd:holdfast")) {
              String path = "/proc/" + ProcessHandle.current().pid() + "/fd/" + open.getKey();
              assertNotEquals(0, truncate(path, 0));
              assertNotEquals(0, truncate(path, 1L << 30));
            }
          }
        }
        try (Lease<MemorySegment> lease = leases.next()) {
          Stamps.verify(assertInstanceOf(MemorySegment.class, lease.item()), unit, 0);
        }
      }
    }
  }
}
