package dev.holdfast.acceptance.arena;

import dev.holdfast.arena.ViewScope;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Parent;
import dev.holdfast.testkit.Rounds;
import dev.holdfast.testkit.Stamps;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Views whose last use is the loop that reads them, in compiled code, under constant collection.
 * R10
 */
@ExtendWith(Leftovers.class)
final class ReachabilityTest {

  @Test
  void fullyCompiledCodeNeverReadsAViewThatWasCollected() {
    run(
        Rounds.of(2_000),
        0,
        "-Xcomp",
        "-XX:CompileCommand=quiet",
        "-XX:CompileCommand=compileonly,dev.holdfast.*::*",
        "-XX:CompileCommand=compileonly,jdk.internal.foreign.*::*",
        "-XX:CompileCommand=compileonly,jdk.internal.misc.ScopedMemoryAccess::*");
  }

  @Test
  void warmCodeNeverReadsAViewThatWasCollected() {
    run(Rounds.of(10_000), 50_000);
  }

  private static void run(int units, int warmUp, String... jvmArguments) {
    try (ChildJvm child =
        ChildJvm.of(ReadingChild.class)
            .optimizing()
            .jvmArgs("-Xmx256m", "-XX:+UseSerialGC")
            .jvmArgs(jvmArguments)
            .args(String.valueOf(units), String.valueOf(warmUp))
            .start()) {
      child.awaitLine("DONE", Duration.ofMinutes(10));
      child.awaitSuccess();
    }
  }

  /** The writer refills at once, one thread collects without pause, the consumer keeps nothing. */
  static final class ReadingChild {
    private static final int SIZE = 4096;
    private static final int READS = 4;

    private ReadingChild() {}

    public static void main(String[] arguments) throws Exception {
      int units = Integer.parseInt(arguments[0]);
      MemorySegment warm = Arena.global().allocate(SIZE);
      Stamps.fill(warm, 0, 0);
      for (int round = 0; round < Integer.parseInt(arguments[1]); round++) {
        process(warm, 0);
      }
      Rig rig = Pools.rig(SIZE, 32);
      LinkedBlockingQueue<Sent> channel = new LinkedBlockingQueue<>();
      FutureTask<Void> writer =
          Deadlines.start(
              "writer",
              () -> {
                for (int i = 0; i < units; i++) {
                  channel.put(rig.write(SIZE));
                }
                return null;
              });
      Thread.ofPlatform()
          .daemon()
          .name("collector")
          .start(
              () -> {
                while (true) {
                  System.gc();
                  LockSupport.parkNanos(1); // or the others hardly run between two collections
                }
              });
      for (int unit = 0; unit < units; unit++) {
        Sent sent = channel.take();
        process(rig.admitAndOpen(sent, ViewScope.COLLECTED).view(), unit);
      }
      Deadlines.result(writer);
      Deadlines.assertEventually("all units are back", () -> rig.reclaimed() == units);
      rig.close();
      Parent.say("DONE");
      System.exit(0);
    }

    /**
     * Reads the unit a few times; the last use of the view is inside the last read. Seldom is worth
     * more than often: only what a collection does during the last read counts.
     */
    private static void process(MemorySegment view, long unit) {
      for (int pass = 0; pass < READS; pass++) {
        for (long at = 0; at < SIZE; at += 8) {
          if (view.get(ValueLayout.JAVA_LONG_UNALIGNED, at) != Stamps.word(unit, 0, at >>> 3)) {
            throw new AssertionError("wrong bytes: unit=" + unit + " offset=" + at);
          }
        }
      }
    }
  }
}
