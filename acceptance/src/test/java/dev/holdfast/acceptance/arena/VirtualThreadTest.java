package dev.holdfast.acceptance.arena;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.holdfast.arena.ArenaReader;
import dev.holdfast.arena.ArenaWriter;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.arena.UnitReceipt;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Parent;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Assumptions;
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

  /** The platform thread that waits in its place is one that the system may refuse. */
  // R59
  @Test
  void aVirtualWriterThatNoThreadCanBeHadForWaitsAllTheSame() {
    String[] limited = {
      "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "prlimit", "--nproc=160"
    };
    Assumptions.assumeTrue(works(limited), "a limit on threads cannot be set here");
    try (ChildJvm child = ChildJvm.of(RefusedChild.class).prefix(limited).start()) {
      child.awaitLine("DONE");
      child.awaitSuccess();
    }
  }

  private static boolean works(String... prefix) {
    try {
      List<String> command = new ArrayList<>(List.of(prefix));
      command.add("true");
      return new ProcessBuilder(command).start().waitFor() == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      throw new AssertionError("interrupted while the test waited", e);
    }
  }

  /** Takes all threads that it can have, and waits for space on a virtual one. */
  static final class RefusedChild {
    private static final int MOST_THREADS = 1000;

    private RefusedChild() {}

    public static void main(String[] arguments) throws Exception {
      Thread.ofVirtual().start(() -> LockSupport.parkNanos(50_000_000)).join();
      SharedMemorySegmentPool pool =
          SharedMemorySegmentPool.builder(4096, 1).acquireTimeout(Pools.LONG).build();
      ArenaWriter writer = pool.openWriter();
      ArenaReader reader = pool.openReader();
      UnitReceipt first = write(writer);
      CountDownLatch enough = new CountDownLatch(1);
      takeAllThreads(enough);
      FutureTask<UnitReceipt> second = new FutureTask<>(() -> write(writer));
      Thread.ofVirtual().name("writer").start(second);
      Thread.sleep(500);
      require(!second.isDone(), "it waits");
      require(!waiterLives(), "no thread can be had for it");
      reader.admit(first);
      reader.discard(first);
      UnitReceipt sent = second.get(60, TimeUnit.SECONDS);
      enough.countDown();
      reader.admit(sent);
      reader.discard(sent);
      require(pool.stats().reclaimed() == 2, "both units are back");
      pool.close();
      pool.unlink();
      Parent.say("DONE");
    }

    private static UnitReceipt write(ArenaWriter writer) {
      writer.beginUnit();
      var _ = writer.writeBinary(MemorySegment.ofArray(new byte[4096]));
      return writer.commitUnit();
    }

    /** The other user may not read the libraries of the tests. */
    private static void require(boolean condition, String what) {
      if (!condition) {
        throw new IllegalStateException("it is not so: " + what);
      }
    }

    private static boolean waiterLives() {
      return Thread.getAllStackTraces().keySet().stream()
          .anyMatch(thread -> thread.getName().startsWith("holdfast-waiter"));
    }

    private static void takeAllThreads(CountDownLatch enough) {
      int taken = 0;
      try {
        for (; taken < MOST_THREADS; taken++) {
          Thread.ofPlatform()
              .daemon()
              .stackSize(1 << 16)
              .start(
                  () -> {
                    try {
                      enough.await();
                    } catch (InterruptedException e) {
                      Thread.currentThread().interrupt();
                    }
                  });
        }
      } catch (OutOfMemoryError e) {
        require(taken > 0, "a thread can be had");
      }
      require(taken < MOST_THREADS, "there is a limit");
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
