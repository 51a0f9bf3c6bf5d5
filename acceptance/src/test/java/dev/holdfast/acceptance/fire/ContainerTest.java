package dev.holdfast.acceptance.fire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.acceptance.capacity.Probe;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Leftovers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Parents as a container has them: process number 1, or below a process that takes in orphans. */
@ExtendWith(Leftovers.class)
@Timeout(180)
final class ContainerTest {
  private static final String[] NAMESPACE = {
    "unshare", "--pid", "--fork", "--kill-child", "--mount-proc"
  };

  // R38
  @Test
  void aParentThatIsProcessOneIsNoOrphansParent() {
    Probe.assumeWorks("unshare", "--pid", "--fork", "--mount-proc", "true");
    try (ChildJvm parent =
        ChildJvm.of(StreamMain.class)
            .prefix(NAMESPACE)
            .jvmArgs("-Xmx64m", "-XX:+UseSerialGC")
            .args("100", String.valueOf(StreamMain.UNIT_BYTES), "memfd", "pool")
            .start()) {
      assertEquals("100", parent.awaitLine("UNITS "));
      parent.awaitSuccess();
    }
  }

  // R38
  @Test
  void anOrphanThatAnotherProcessTakesInEnds() {
    try (ChildJvm reaper = ChildJvm.of(ReaperMain.class).jvmArgs("-Xmx64m").start()) {
      String orphan = reaper.awaitLine("ORPHAN ");
      assertTrue(orphan.startsWith("lives=false "), orphan);
      reaper.awaitSuccess();
    }
  }
}
