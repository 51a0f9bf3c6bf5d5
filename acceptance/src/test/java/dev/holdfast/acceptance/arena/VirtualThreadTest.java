package dev.holdfast.acceptance.arena;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.holdfast.arena.ViewScope;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Parent;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Waiting on virtual threads, of which more wait than there are carriers. */
@ExtendWith(Leftovers.class)
final class VirtualThreadTest {

  @Test
  void virtualWaitersAndAVirtualReleaserGoOnOnOneCarrier() {
    try (ChildJvm child =
        ChildJvm.of(WaitersChild.class)
            .jvmArgs(
                "-Djdk.virtualThreadScheduler.parallelism=1",
                "-Djdk.virtualThreadScheduler.maxPoolSize=1")
            .start()) {
      child.awaitLine("DONE");
      child.awaitSuccess();
    }
  }

  /** Three virtual writers wait for space; a virtual consumer releases for all, many times over. */
  static final class WaitersChild {
    private static final int UNITS = 200;

    private WaitersChild() {}

    public static void main(String[] arguments) throws Exception {
      List<Rig> rigs = new ArrayList<>();
      List<BlockingQueue<Sent>> channels = new ArrayList<>();
      CountDownLatch ended = new CountDownLatch(3);
      AtomicInteger started = new AtomicInteger();
      for (int i = 0; i < 3; i++) {
        Rig rig = Pools.rig(4096, 1);
        BlockingQueue<Sent> channel = new LinkedBlockingQueue<>();
        rigs.add(rig);
        channels.add(channel);
        Thread.ofVirtual()
            .name("writer")
            .start(
                () -> {
                  started.incrementAndGet();
                  for (int unit = 0; unit < UNITS; unit++) {
                    channel.add(rig.write(4096));
                  }
                  ended.countDown();
                });
      }
      Deadlines.assertEventually("all writers run", () -> started.get() == 3);
      Deadlines.assertEventually(
          "each has filled its pool",
          () -> rigs.stream().allMatch(rig -> rig.arena.stats().published() == 1));
      FutureTask<Void> consumer =
          new FutureTask<>(
              () -> {
                for (int unit = 0; unit < UNITS; unit++) {
                  for (int i = 0; i < 3; i++) {
                    Opened opened =
                        rigs.get(i).admitAndOpen(channels.get(i).take(), ViewScope.SHARED);
                    releaseOnAnother(opened);
                  }
                }
                return null;
              });
      Thread.ofVirtual().name("consumer").start(consumer);
      Deadlines.result(consumer);
      ended.await();
      for (Rig rig : rigs) {
        Deadlines.assertEventually("all units are back", () -> rig.reclaimed() == UNITS);
        assertEquals(UNITS, rig.writer().published());
        rig.close();
      }
      Parent.say("DONE");
    }

    private static void releaseOnAnother(Opened opened) throws InterruptedException {
      Thread.ofVirtual().name("releaser").start(opened::close).join();
    }
  }
}
