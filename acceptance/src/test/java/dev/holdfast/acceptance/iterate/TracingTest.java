package dev.holdfast.acceptance.iterate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.AcquireTimeoutException;
import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.loader.Lease;
import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.GcPressure;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Parent;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whoever keeps the space is named with the place where it was taken, when that is asked for. */
@ExtendWith(Leftovers.class)
@Timeout(300)
final class TracingTest {

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void errorsNameThePlaceWhereTheOldestLeaseWasTakenWhenTracingIsOn(boolean tracing) {
    try (ChildJvm child =
        ChildJvm.of(Holder.class)
            .jvmArgs("-Dholdfast.trace=" + tracing, "-XX:TieredStopAtLevel=1", "-Xmx64m")
            .start()) {
      String oldest = child.awaitLine("OLDEST ");
      String place = Holder.class.getName() + ".takeAndForget(TracingTest.java:";
      assertTrue(oldest.contains("confined lease"), oldest);
      assertTrue(oldest.contains(place) == tracing, oldest);
      child.awaitSuccess();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void reportsOfDroppedLeasesAndHoldsNameThePlaceTooAndComeOnce(boolean tracing) {
    try (ChildJvm child =
        ChildJvm.of(Dropper.class)
            .jvmArgs("-Dholdfast.trace=" + tracing, "-XX:TieredStopAtLevel=1", "-Xmx64m")
            .start()) {
      String arena = child.awaitLine("ARENA ");
      for (String taken : List.of("Lease", "Hold")) {
        String line = child.awaitLine(taken + ": ");
        String place = Dropper.class.getName() + ".forget" + taken + "(TracingTest.java:";
        String what =
            taken.equals("Lease")
                ? "a lease was dropped without close: arena=%s unit=1 takenAt="
                : "a hold was dropped without close, its unit stays held for ever: arena=%s unit=2"
                    + " takenAt=";
        String where = tracing ? place : "unknown (start the JVM with -Dholdfast.trace=true)";
        assertTrue(line.startsWith(what.formatted(arena) + where), line);
      }
      assertEquals("2", child.awaitLine("REPORTS "));
      child.awaitSuccess();
    }
  }

  /** Drops a lease, and a hold, and says what the log does. */
  static final class Dropper {
    private Dropper() {}

    public static void main(String[] arguments) {
      KeptLog warnings = KeptLog.from(Level.WARNING);
      SharedMemoryArena pool = Feeds.pool(4, Feeds.LONG);
      Parent.say("ARENA " + pool.arenaId());
      try (SubprocessIterable<Map<String, Object>> items =
          Subprocess.iterate(Feeds.stamped(9), Feeds.options(false).arena(pool).build())) {
        Iterator<Lease<Map<String, Object>>> leases = items.leases().iterator();
        leases.next().close();
        forgetLease(leases);
        Parent.say("Lease: " + awaitReport(warnings, "a lease"));
        forgetHold(leases);
        Parent.say("Hold: " + awaitReport(warnings, "a hold"));
        GcPressure.collect(3);
        Parent.say("REPORTS " + warnings.beginningWith("").size());
      }
    }

    private static String awaitReport(KeptLog warnings, String beginning) {
      Deadlines.assertEventually(
          "it is reported",
          () -> {
            GcPressure.collect();
            return !warnings.beginningWith(beginning).isEmpty();
          });
      return warnings.beginningWith(beginning).getFirst();
    }

    private static void forgetLease(Iterator<Lease<Map<String, Object>>> leases) {
      Feeds.verify(leases.next().item(), 0, 1);
    }

    private static void forgetHold(Iterator<Lease<Map<String, Object>>> leases) {
      try (Lease<Map<String, Object>> lease = leases.next()) {
        assertTrue(lease.hold().segment().byteSize() >= Feeds.PAYLOAD_BYTES);
      }
    }
  }

  /** Takes what a pool has, and asks for more. */
  static final class Holder {
    private Holder() {}

    public static void main(String[] arguments) {
      try (SubprocessIterable<Map<String, Object>> items =
          Subprocess.iterate(
              Feeds.stamped(9),
              Feeds.options(false).arena(Feeds.pool(2, Duration.ofMillis(200))).build())) {
        Iterator<Lease<Map<String, Object>>> leases = items.leases().iterator();
        Lease<Map<String, Object>> first = takeAndForget(leases);
        Lease<Map<String, Object>> second = leases.next();
        AcquireTimeoutException full = assertThrows(AcquireTimeoutException.class, leases::next);
        Parent.say("OLDEST " + full.facts().get("oldestHolder"));
        first.close();
        second.close();
      }
    }

    private static <T> T takeAndForget(Iterator<T> leases) {
      return leases.next();
    }
  }
}
