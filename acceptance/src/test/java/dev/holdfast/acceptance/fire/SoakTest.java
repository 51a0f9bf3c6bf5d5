package dev.holdfast.acceptance.fire;

import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Tally;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Mixed load with churn for as long as {@code holdfast.soak} says: some seconds, half an hour in
 * the profile {@code soak}. The table of what the process has is printed.
 */
@ExtendWith(Leftovers.class)
@Timeout(value = 4, unit = TimeUnit.HOURS)
final class SoakTest {
  private static final Duration DURATION =
      Duration.parse(System.getProperty("holdfast.soak", "PT6S"));
  private static final Duration LONGEST_INTERVAL = Duration.ofMinutes(2);
  private static final int ROWS = 5;
  private static final Pattern LAST = Pattern.compile("OVER runs=\\d+ units=\\d+ kills=(\\d+)");

  // R104, R106
  @Test
  void whatAProcessHasIsFlatUnderMixedLoadHoweverItsRunsEnd() {
    Duration interval = DURATION.dividedBy(ROWS);
    if (interval.compareTo(LONGEST_INTERVAL) > 0) {
      interval = LONGEST_INTERVAL;
    }
    try (ChildJvm soak =
        ChildJvm.of(SoakMain.class)
            .jvmArgs("-Xms96m", "-Xmx96m", "-XX:+AlwaysPreTouch", "-XX:+UseSerialGC")
            .args(DURATION.toString(), interval.toString())
            .start()) {
      soak.awaitSuccess(DURATION.plus(Duration.ofMinutes(5)));
      System.out.println(soak.output());
      Matcher last = LAST.matcher(soak.output());
      Assertions.assertTrue(last.find(), soak.output());
      Tally.KILLS.add(Integer.parseInt(last.group(1)));
    }
  }
}
