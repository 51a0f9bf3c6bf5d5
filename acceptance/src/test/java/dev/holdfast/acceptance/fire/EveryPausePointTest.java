package dev.holdfast.acceptance.fire;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.holdfast.acceptance.model.KilledPeersTest;
import dev.holdfast.acceptance.pipeline.KilledRegionWorkersTest;
import dev.holdfast.acceptance.tickets.KilledTicketHoldersTest;
import dev.holdfast.acceptance.worker.KilledWorkersTest;
import dev.holdfast.arena.internal.fault.FaultPoint;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The lists of the {@link CrashMatrix} against the points that there are. */
final class EveryPausePointTest {
  /** Where something else happens when they fire; a process comes there without pausing. */
  private static final Set<String> OTHERWISE = Set.of("NO_TMPFILE", "NAME_TAKEN", "UNIT_FLIP_BYTE");

  /**
   * In the lists beside the points of ours: a kill from outside, and one in the code of the user.
   */
  private static final Set<String> NO_POINTS = Set.of(Peer.ANY_MOMENT, "USER_CODE");

  @Test
  void somebodyIsKilledAtEveryPointOfOurs() {
    Set<String> killedAt =
        Stream.of(
                KilledPeersTest.points(),
                KilledTicketHoldersTest.points(),
                KilledWorkersTest.points(),
                KilledRegionWorkersTest.points(),
                KilledParentsTest.points())
            .flatMap(points -> points)
            .filter(point -> !NO_POINTS.contains(point))
            .collect(Collectors.toCollection(TreeSet::new));
    Set<String> points =
        Stream.of(FaultPoint.values())
            .map(Enum::name)
            .filter(point -> !OTHERWISE.contains(point))
            .collect(Collectors.toCollection(TreeSet::new));

    assertEquals(points, killedAt);
  }
}
