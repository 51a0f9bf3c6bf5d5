package dev.holdfast.acceptance.fire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.loader.Lease;
import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.SubprocessOptions;
import dev.holdfast.loader.WorkerDiedException;
import dev.holdfast.loader.WorkerFailedException;
import dev.holdfast.loader.WorkerSource;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.GcPressure;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Maps;
import dev.holdfast.testkit.ProcSelf;
import dev.holdfast.testkit.Rounds;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** What a process has does not grow with the runs that it has seen, however they ended. */
@ExtendWith(Leftovers.class)
@Timeout(3600)
final class FlatResourcesTest {
  private static final int SEGMENT = 64 << 10;
  private static final int SEGMENTS = 4;
  private static final int ENDINGS = 6;
  private static final int MANY = 1_000_000;
  private static final long PAGE = 4096;

  /** The channel, and what lies between words and pages. */
  private static final long BESIDE_THE_ARENA = 4L << 20;

  private record Has(int mappings, int descriptors, int threads) {
    static Has now() {
      return new Has(
          Maps.ofArenas().size(), ProcSelf.descriptors().size(), Thread.getAllStackTraces().size());
    }
  }

  private static SubprocessOptions options() {
    return SubprocessOptions.builder()
        .arena(new SharedMemorySegmentPool(SEGMENT, SEGMENTS))
        .jvmArgs("-Xmx32m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
        .build();
  }

  private static WorkerSource<ByteBuffer> units(int count, int failsAt) {
    return _ ->
        () ->
            IntStream.range(0, count)
                .mapToObj(
                    i -> {
                      if (i == failsAt) {
                        throw new IllegalStateException("as asked");
                      }
                      return ByteBuffer.allocate(SEGMENT);
                    })
                .iterator();
  }

  private static void run(int ending) {
    if (ending == ENDINGS - 1) {
      dropAnArena();
      return;
    }
    try (SubprocessIterable<ByteBuffer> items =
        Subprocess.iterate(units(ending == 3 ? MANY : 3, ending == 2 ? 2 : -1), options())) {
      Iterator<Lease<ByteBuffer>> leases = items.leases().iterator();
      switch (ending) {
        case 0 -> assertEquals(3, drain(leases));
        case 1 -> take(leases);
        case 2 -> assertThrows(WorkerFailedException.class, () -> drain(leases));
        case 3 -> {
          take(leases);
          ChildJvm.signal(items.pid(), ChildJvm.SIGKILL);
          assertThrows(WorkerDiedException.class, () -> drain(leases));
        }
        default -> {
          take(leases);
          closeEarly(items);
        }
      }
    }
  }

  private static void closeEarly(SubprocessIterable<?> items) {
    items.close();
  }

  private static void take(Iterator<Lease<ByteBuffer>> leases) {
    try (Lease<ByteBuffer> lease = leases.next()) {
      assertEquals(SEGMENT, lease.item().remaining());
    }
  }

  private static int drain(Iterator<Lease<ByteBuffer>> leases) {
    int units = 0;
    while (leases.hasNext()) {
      take(leases);
      units++;
    }
    return units;
  }

  private static void dropAnArena() {
    SharedMemorySegmentPool pool = new SharedMemorySegmentPool(SEGMENT, SEGMENTS);
    assertEquals(0, pool.stats().published());
  }

  // R104
  @Test
  void mappingsDescriptorsAndThreadsAreFlatHoweverRunsEnd() {
    int rounds = Rounds.of(2000) / 16;
    for (int round = 0; round < ENDINGS; round++) {
      run(round);
    }
    Has first = settled(Has.now());
    for (int round = ENDINGS; round < rounds; round++) {
      run(round % ENDINGS);
    }
    Has last = settled(first);
    assertTrue(
        last.mappings <= first.mappings
            && last.descriptors <= first.descriptors
            && last.threads <= first.threads + 2,
        first + " -> " + last);
    System.out.printf("flat: runs %d, %s -> %s%n", rounds, first, last);
  }

  /** What only the collector gives back has some seconds. */
  private static Has settled(Has most) {
    Has[] seen = {Has.now()};
    try {
      Deadlines.assertEventually(
          "mappings and descriptors are back",
          () -> {
            GcPressure.collect();
            seen[0] = Has.now();
            return seen[0].mappings <= most.mappings
                && seen[0].descriptors <= most.descriptors
                && seen[0].threads <= most.threads + 2;
          });
    } catch (AssertionError e) {
      throw new AssertionError(most + " -> " + seen[0], e);
    }
    return seen[0];
  }

  // R106
  @Test
  void privateMemoryIsFlatAndSharedMemoryIsTheArena() {
    try (SubprocessIterable<ByteBuffer> items =
        Subprocess.iterate(units(Rounds.of(60_000), -1), options())) {
      long worker = items.pid();
      long[] before = new long[2];
      int units = 0;
      for (Lease<ByteBuffer> lease : items.leases()) {
        lease.close();
        if (++units == 1500) {
          before = anonymous(worker);
        }
      }
      long[] after = anonymous(worker);
      long arena = (SEGMENTS + 1L) * (SEGMENT + PAGE) + BESIDE_THE_ARENA;
      for (long pid : new long[] {worker, ProcessHandle.current().pid()}) {
        long shared = ProcSelf.statusBytes(pid, "RssShmem");
        assertTrue(shared <= arena, "shared memory of " + shared);
      }
      assertTrue(after[0] - before[0] < 24L << 20, "the worker grew by " + (after[0] - before[0]));
      System.out.printf(
          "memory: units %d, worker %d -> %d, consumer %d -> %d bytes%n",
          units, before[0], after[0], before[1], after[1]);
    }
  }

  private static long[] anonymous(long worker) {
    return new long[] {
      ProcSelf.statusBytes(worker, "RssAnon"),
      ProcSelf.statusBytes(ProcessHandle.current().pid(), "RssAnon")
    };
  }
}
