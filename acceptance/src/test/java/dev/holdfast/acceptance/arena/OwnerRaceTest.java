package dev.holdfast.acceptance.arena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import dev.holdfast.arena.StorageHold;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Parent;
import dev.holdfast.testkit.Rounds;
import java.time.Duration;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sixteen threads retire owners of each unit at once while the writer refills. R87 */
@ExtendWith(Leftovers.class)
final class OwnerRaceTest {
  private static final int OWNERS = 16;

  /** Of each thread, so that those which run at the same time meet. */
  private static final int HOLDS = 16;

  @ParameterizedTest
  @ValueSource(strings = {"-XX:+UseSerialGC", "-XX:+UseG1GC", "-XX:+UseZGC"})
  void unitIsReusedOnlyAfterTheLastOfItsOwnersRetired(String collector) {
    int units = Rounds.of(33_000);
    try (ChildJvm child =
        ChildJvm.of(RaceChild.class)
            .optimizing()
            .jvmArgs("-Xmx512m", collector)
            .args(String.valueOf(units))
            .start()) {
      child.awaitLine("DONE", Duration.ofMinutes(10));
      child.awaitSuccess();
    }
  }

  /**
   * Holds of each unit are closed by all threads while the consumer reads it. One unit of 64 is
   * COLLECTED and dropped while its holds are closed, so that the cleaner takes part too.
   */
  static final class RaceChild {
    private RaceChild() {}

    public static void main(String[] arguments) throws Exception {
      int units = Integer.parseInt(arguments[0]);
      Rig rig = Pools.rig(4096, 2);
      SynchronousQueue<Sent> channel = new SynchronousQueue<>();
      FutureTask<Void> writer =
          Deadlines.start(
              "writer",
              () -> {
                for (int i = 0; i < units; i++) {
                  channel.put(rig.write(4096));
                }
                return null;
              });
      CyclicBarrier barrier = new CyclicBarrier(OWNERS + 1);
      AtomicReferenceArray<StorageHold> holds = new AtomicReferenceArray<>(OWNERS * HOLDS);
      for (int i = 0; i < OWNERS; i++) {
        int index = i;
        Thread.ofPlatform()
            .daemon()
            .name("owner")
            .start(
                () -> {
                  try {
                    while (true) {
                      barrier.await();
                      for (int hold = index; hold < OWNERS * HOLDS; hold += OWNERS) {
                        holds.get(hold).close();
                      }
                      barrier.await();
                    }
                  } catch (Exception e) {
                    e.printStackTrace();
                    Runtime.getRuntime().halt(3);
                  }
                });
      }
      for (int unit = 0; unit < units; unit++) {
        ViewScope scope = unit % 64 == 3 ? ViewScope.COLLECTED : ViewScope.CONFINED;
        Sent sent = channel.poll(Deadlines.GENEROUS.toSeconds(), TimeUnit.SECONDS);
        assertNotNull(sent, "the writer still waits for a unit that all owners have left");
        Opened opened = rig.admitAndOpen(sent, scope);
        for (int i = 0; i < OWNERS * HOLDS; i++) {
          holds.set(i, opened.lease().hold());
        }
        barrier.await();
        opened.verify().lease().close();
        barrier.await();
      }
      Deadlines.result(writer);
      Deadlines.assertEventually(
          "all units are back",
          () -> {
            System.gc();
            return rig.reclaimed() == units;
          });
      assertEquals(units, rig.writer().published());
      rig.close();
      Parent.say("DONE");
      System.exit(0);
    }
  }
}
