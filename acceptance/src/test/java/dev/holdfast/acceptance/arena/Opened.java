package dev.holdfast.acceptance.arena;

import dev.holdfast.arena.UnitLease;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.testkit.Stamps;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Assertions;

/** A restored unit with all its views. */
record Opened(Sent sent, List<MemorySegment> views, UnitLease lease) implements AutoCloseable {

  MemorySegment view() {
    return views.getFirst();
  }

  /** Checks every stamp of every view. */
  Opened verify() {
    for (int i = 0; i < views.size(); i++) {
      Assertions.assertEquals(sent.placements().get(i).byteSize(), views.get(i).byteSize());
      Stamps.verify(views.get(i), sent.stamp(), Sent.epochOf(sent.epoch(), i));
    }
    return this;
  }

  /** Closes the lease and waits until its views have ended, for scopes that a close ends. */
  @Override
  public void close() {
    lease.close();
    Assertions.assertTrue(lease.close(Duration.ofSeconds(60)) || collected(), "views go on");
  }

  private boolean collected() {
    return lease.scope() == ViewScope.COLLECTED;
  }
}
