package dev.holdfast.acceptance.fire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.loader.Lease;
import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.SubprocessOptions;
import dev.holdfast.loader.WorkerSource;
import dev.holdfast.loader.WorkerTimeoutException;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Parent;
import dev.holdfast.testkit.ProcSelf;
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
@Timeout(180)
final class SuspendedTest {
  private static final int UNITS = 20;
  private static final int SEGMENTS = 2;

  /** Longer than a death takes to be reported. */
  private static final Duration STANDSTILL = Duration.ofMillis(2500);

  private static SubprocessIterable<byte[]> items(Duration timeout) {
    WorkerSource<byte[]> source =
        _ -> () -> IntStream.range(0, UNITS).mapToObj(i -> filled(i)).iterator();
    return Subprocess.iterate(
        source,
        SubprocessOptions.builder()
            .arena(
                SharedMemorySegmentPool.builder(8192, SEGMENTS)
                    .acquireTimeout(Duration.ofSeconds(60))
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
    try (SubprocessIterable<byte[]> items = items(Duration.ofSeconds(60))) {
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

  /** Holds everything until it is told to go on. */
  static final class Holder {
    private Holder() {}

    public static void main(String[] arguments) {
      try (SubprocessIterable<byte[]> items = items(Duration.ofSeconds(60))) {
        List<Lease<byte[]>> held = new ArrayList<>();
        Iterator<Lease<byte[]>> leases = items.leases().iterator();
        held.add(leases.next());
        Parent.say("WORKER " + items.pid());
        var _ = Parent.read();
        held.forEach(Lease::close);
        int units = 1;
        while (leases.hasNext()) {
          try (Lease<byte[]> lease = leases.next()) {
            if (lease.item()[0] != (byte) units) {
              throw new IllegalStateException("unit " + units);
            }
            units++;
          }
        }
        Parent.say("UNITS " + units);
      }
    }
  }

  // R48
  @Test
  void aWorkerWaitsForAParentThatStandsStill() {
    try (ChildJvm parent = ChildJvm.of(Holder.class).start()) {
      long worker = Long.parseLong(parent.awaitLine("WORKER "));
      parent.kill(ChildJvm.SIGSTOP);
      Deadlines.pause(STANDSTILL);
      assertTrue(ProcSelf.state(worker) != 'Z', "the worker lives");
      parent.send("go on");
      parent.kill(ChildJvm.SIGCONT);
      assertEquals(String.valueOf(UNITS), parent.awaitLine("UNITS "));
      parent.awaitSuccess();
    }
  }
}
