package dev.holdfast.acceptance.pinning;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.acceptance.device.Feed;
import dev.holdfast.arena.HoldfastFailure;
import dev.holdfast.arena.PagePinner;
import dev.holdfast.arena.SharedMemoryRingBuffer;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.arena.internal.memory.MemoryMapping;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.MemoryGroup;
import dev.holdfast.testkit.ProcSelf;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Page-locking more than a memory control group can hold is a refusal; nobody is killed. R99
 *
 * <p>The child says each failure as {@code NAME CLASS asked=BYTES limit=TEXT advice=TEXT}.
 */
@ExtendWith(Leftovers.class)
class LockInSmallGroupTest {
  private static final long MIB = 1 << 20;
  private static final long GIB = 1 << 30;
  private static final long LIMIT = 700 * MIB;
  private static final long UNIT = 32 * MIB;

  @Test
  void whatTheGroupCannotHoldIsRefusedAndNothingIsLeftLocked() {
    try (MemoryGroup group = MemoryGroup.create(LIMIT);
        ChildJvm child =
            ChildJvm.of(Child.class)
                .prefix(group.enter())
                .jvmArgs("-Xms96m", "-Xmx96m", "-XX:+AlwaysPreTouch", "-XX:+UseSerialGC")
                .start()) {
      String limit = "limit=memory cgroup " + group.folder();
      String pool = child.awaitLine("pool ");
      assertTrue(pool.startsWith("InsufficientSharedMemoryException"), pool);
      assertTrue(asked(pool) >= 4 * GIB && pool.contains(limit), pool);
      String memory = child.awaitLine("memory ");
      assertTrue(memory.startsWith("PinningException"), memory);
      assertEquals(4 * GIB, asked(memory));
      assertTrue(memory.contains(limit) && memory.contains("unpinned"), memory);
      assertEquals("0", child.awaitLine("locked "));
      String ring = child.awaitLine("ring ");
      assertTrue(ring.contains(limit), ring);
      long kept = Long.parseLong(child.awaitLine("kept "));
      assertTrue(kept >= 5 && kept <= LIMIT / UNIT, "copies: " + kept);
      child.awaitSuccess(Duration.ofMinutes(3));
    }
  }

  private static long asked(String refusal) {
    return Long.parseLong(refusal.replaceAll(".* asked=(\\d+) .*", "$1"));
  }

  /** Asks for too much in three ways. */
  static final class Child {
    private Child() {}

    public static void main(String[] args) {
      say(
          "pool",
          () -> SharedMemorySegmentPool.builder(GIB, 4).pinned(PagePinner.mlock()).build().close());
      MemoryMapping untouched = MemoryMapping.ofPrivate(4 * GIB, "a test");
      say("memory", () -> PagePinner.mlock().register(untouched.segment()).close());
      System.out.println("locked " + ProcSelf.lockedBytes());
      System.out.println("unmapped " + untouched.releaseNow());
      keepCopies();
    }

    private static void keepCopies() {
      SharedMemoryRingBuffer ring =
          SharedMemoryRingBuffer.builder(UNIT).pinned(PagePinner.mlock()).build();
      List<Feed.Received> kept = new ArrayList<>();
      try (Feed feed = new Feed(ring)) {
        say(
            "ring",
            () -> {
              while (kept.size() <= LIMIT / UNIT) {
                kept.add(feed.pass(ViewScope.CONFINED, UNIT));
              }
            });
        System.out.println("kept " + kept.size());
        if (ProcSelf.lockedBytes() != ring.pinnedBytes()) {
          throw new AssertionError(ProcSelf.lockedBytes() + " of " + ring.pinnedBytes());
        }
        kept.forEach(unit -> unit.verify(0, unit.tensors().getFirst()));
        kept.forEach(unit -> unit.lease().close());
        feed.overwrite(3, UNIT);
      }
      Deadlines.assertEventually("the locks are gone", () -> ProcSelf.lockedBytes() == 0);
    }

    private static void say(String what, Runnable call) {
      try {
        call.run();
        System.out.println(what + " is not refused");
      } catch (RuntimeException e) {
        if (!(e instanceof HoldfastFailure failure)) {
          throw e;
        }
        Object asked = failure.facts().get("askedBytes");
        System.out.printf(
            "%s %s asked=%s limit=%s advice=%s%n",
            what,
            e.getClass().getSimpleName(),
            asked == null ? failure.facts().get("bytesAsked") : asked,
            failure.facts().get("limit"),
            failure.advice());
      }
    }
  }
}
