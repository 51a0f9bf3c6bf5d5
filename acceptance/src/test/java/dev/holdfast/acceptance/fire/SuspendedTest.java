package dev.holdfast.acceptance.fire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.AcquireTimeoutException;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.loader.Lease;
import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.SubprocessOptions;
import dev.holdfast.loader.WorkerContext;
import dev.holdfast.loader.WorkerSource;
import dev.holdfast.loader.WorkerTimeoutException;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Parent;
import dev.holdfast.testkit.ProcSelf;
import dev.holdfast.testkit.Rounds;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** A process that stands still for longer than every look at the other side is not a dead one. */
@ExtendWith(Leftovers.class)
@Timeout(600)
final class SuspendedTest {
  private static final int UNITS = 20;
  private static final int SEGMENTS = 2;

  /** Longer than a death takes to be reported. */
  private static final Duration STANDSTILL =
      Rounds.whole() ? Duration.ofSeconds(30) : Duration.ofMillis(2500);

  private static final Duration LONG = Duration.ofSeconds(60);

  private static SubprocessIterable<byte[]> items(Duration timeout) {
    return items(
        _ -> () -> IntStream.range(0, UNITS).mapToObj(SuspendedTest::filled).iterator(),
        timeout,
        LONG);
  }

  private static <T> SubprocessIterable<T> items(
      WorkerSource<T> source, Duration timeout, Duration acquireTimeout) {
    return Subprocess.iterate(
        source,
        SubprocessOptions.builder()
            .arena(
                SharedMemorySegmentPool.builder(8192, SEGMENTS)
                    .acquireTimeout(acquireTimeout)
                    .build())
            .bufferSize(1)
            .timeout(timeout)
            .build());
  }

  private static byte[] filled(int unit) {
    byte[] bytes = new byte[8192];
    Arrays.fill(bytes, (byte) unit);
    return bytes;
  }

  private static void stop(long pid) {
    ChildJvm.signal(pid, ChildJvm.SIGSTOP);
    Deadlines.assertEventually("it stands still", () -> ProcSelf.state(pid) == 'T');
  }

  private static void restTogether(Iterator<byte[]> iterator, int next) {
    for (int unit = next; unit < UNITS; unit++) {
      assertEquals((byte) unit, iterator.next()[100]);
    }
    assertFalse(iterator.hasNext());
  }

  // R48
  @Test
  void aWorkerThatStandsStillIsWaitedFor() {
    try (SubprocessIterable<byte[]> items = items(LONG)) {
      Iterator<byte[]> iterator = items.iterator();
      assertEquals(0, iterator.next()[0]);
      stop(items.pid());
      var resume =
          Deadlines.start(
              "resume",
              () -> {
                Deadlines.pause(STANDSTILL);
                ChildJvm.signal(items.pid(), ChildJvm.SIGCONT);
                return true;
              });
      restTogether(iterator, 1);
      assertTrue(resume.isDone(), "it had stood still for the whole time");
    }
  }

  // R48
  @Test
  void aWorkerThatStandsStillForTooLongIsSilentAndNotDead() {
    try (SubprocessIterable<byte[]> items = items(Duration.ofMillis(500))) {
      Iterator<byte[]> iterator = items.iterator();
      int next = 0;
      while (next < 3) {
        assertEquals((byte) next, patiently(iterator)[0]);
        next++;
      }
      stop(items.pid());
      WorkerTimeoutException silent = null;
      while (silent == null) {
        try {
          assertEquals((byte) next, iterator.next()[0]); // what had been sent before
          next++;
        } catch (WorkerTimeoutException e) {
          silent = e;
        }
      }
      assertEquals(items.pid(), silent.facts().get("pid"));
      assertThrows(WorkerTimeoutException.class, iterator::next);
      ChildJvm.signal(items.pid(), ChildJvm.SIGCONT);
      for (int unit = next; unit < UNITS; unit++) {
        assertEquals((byte) unit, patiently(iterator)[0]);
      }
    }
  }

  private static byte[] patiently(Iterator<byte[]> iterator) {
    while (true) {
      try {
        return iterator.next();
      } catch (WorkerTimeoutException e) {
        assertTrue(iterator.hasNext());
      }
    }
  }

  /**
   * Holds everything until it is told to go on, and then its first item for as long as it is given
   * others; the argument is how long its worker waits for space.
   */
  static final class Holder {
    private Holder() {}

    public static void main(String[] arguments) {
      try (SubprocessIterable<ByteBuffer> items =
          items(Holder::views, LONG, Duration.parse(arguments[0]))) {
        List<Lease<ByteBuffer>> held = new ArrayList<>();
        Iterator<Lease<ByteBuffer>> leases = items.leases().iterator();
        held.add(leases.next());
        Parent.say("WORKER " + items.pid());
        var _ = Parent.read();
        int units = 1;
        int refused = 0;
        if (Duration.parse(arguments[0]).compareTo(STANDSTILL) >= 0) {
          held.forEach(Lease::close);
        }
        while (leases.hasNext()) {
          try (Lease<ByteBuffer> lease = leases.next()) {
            if (lease.item().get(0) != (byte) units) {
              throw new IllegalStateException("unit " + units);
            }
            units++;
          } catch (AcquireTimeoutException e) {
            refused++;
            held.forEach(Lease::close);
          }
        }
        Parent.say("UNITS " + units + " REFUSED " + refused);
      }
    }

    /** What comes of these aliases the pool. */
    private static Iterable<ByteBuffer> views(WorkerContext context) {
      return () ->
          IntStream.range(0, UNITS).mapToObj(unit -> ByteBuffer.wrap(filled(unit))).iterator();
    }
  }

  // R48
  @Test
  void aWorkerWaitsForAParentThatStandsStill() {
    assertEquals(UNITS + " REFUSED 0", afterAStandstill(LONG));
  }

  // R48
  @Test
  void aWorkerThatMayNotWaitSoLongSaysSoAndSendsTheSameItemWhenThereIsRoom() {
    assertEquals(UNITS + " REFUSED 1", afterAStandstill(Duration.ofSeconds(1)));
  }

  private static String afterAStandstill(Duration acquireTimeout) {
    try (ChildJvm parent = ChildJvm.of(Holder.class).args(acquireTimeout.toString()).start()) {
      long worker = Long.parseLong(parent.awaitLine("WORKER "));
      parent.kill(ChildJvm.SIGSTOP);
      Deadlines.pause(STANDSTILL);
      assertTrue(ProcSelf.state(worker) != 'Z', "the worker lives");
      parent.send("go on");
      parent.kill(ChildJvm.SIGCONT);
      String said = parent.awaitLine("UNITS ");
      parent.awaitSuccess();
      return said;
    }
  }
}
