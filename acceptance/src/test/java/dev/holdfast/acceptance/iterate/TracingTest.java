package dev.holdfast.acceptance.iterate;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.AcquireTimeoutException;
import dev.holdfast.loader.Lease;
import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Parent;
import java.time.Duration;
import java.util.Iterator;
import java.util.Map;
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
