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
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.TimeUnit;
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

  @ParameterizedTest
  @CsvSource({"4096,pool", "0,pool", "4096,ring"})
  void namedFileThatShrinksIsATypedErrorInBothProcessesAndTheRunEnds(long size, String kind) {
    try (ChildJvm child =
        ChildJvm.of(Victim.class)
            .optimizing()
            .args(String.valueOf(size), kind)
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
      try (SubprocessIterable<MemorySegment> items = Subprocess.iterate(endless(), options)) {
        Iterator<Lease<MemorySegment>> leases = items.leases().iterator();
        int unit = 0;
        ArenaCorruptedException corrupted = null;
        while (corrupted == null) {
          if (unit == 20) {
            assertEquals(0, truncate(file.toString(), Long.parseLong(arguments[0])));
          }
          try (Lease<MemorySegment> lease = leases.next()) {
            verify(lease.item(), unit++);
          } catch (ArenaCorruptedException e) {
            corrupted = e;
          }
          assertTrue(unit < 40, "it goes on with a file that is gone");
        }
        Parent.say("items " + unit + " then " + corrupted);
        assertTrue(unit >= 20);
        assertTrue(
            corrupted.getMessage().contains(file.toString())
                || corrupted.getMessage().contains("cannot be"),
            corrupted::toString);
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
