package dev.holdfast.acceptance.iterate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.SubprocessStats;
import dev.holdfast.loader.WorkerSource;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Level;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Plain iteration where a JVM refuses to collect when it is asked to. R11 */
@ExtendWith(Leftovers.class)
@Timeout(600)
final class HeapCopiesTest {
  @TempDir private Path folder;

  @Test
  void allItemsArriveAsHeapCopiesWhileCollectionsAreRefusedAndAsViewsAgainAfterwards() {
    try (ChildJvm child =
        ChildJvm.of(Plain.class)
            .jvmArgs("-XX:+DisableExplicitGC", "-XX:+UseSerialGC", "-Xmx64m")
            .args(folder.resolve("many").toString())
            .start()) {
      child.awaitSuccess(Duration.ofMinutes(5));
    }
  }

  /** Takes passes of many items, and of one, and drops what it takes. */
  static final class Plain {
    private static final int SEGMENTS = 4;
    private static final int MANY = 60;
    private static final long STARVED_NANOS = Duration.ofMillis(500).toNanos();
    private static final AtomicLong LAST_ITEM = new AtomicLong(System.nanoTime());

    private Plain() {}

    public static void main(String[] arguments) throws IOException {
      Path many = Path.of(arguments[0]);
      KeptLog log = KeptLog.from(Level.INFO);
      Thread.ofPlatform().daemon().name("test-other-work").start(Plain::makeGarbageWhenStarved);
      try (SubprocessIterable<Map<String, Object>> items =
          Subprocess.iterate(
              source(many.toString()),
              Feeds.options(false).arena(Feeds.pool(SEGMENTS, Feeds.LONG)).build())) {
        int pass = 0;
        for (int times = 0; times < 2; times++) {
          Files.createFile(many);
          assertCopies(items, pass++);
          Files.delete(many);
          takeLease(items, pass++);
          pass = awaitViews(items, pass);
        }
      }
      List<String> said = log.beginningWith("plain iteration makes heap copies");
      assertEquals(1, said.size(), said::toString);
      assertTrue(said.getFirst().contains("because collections are refused"), said::toString);
    }

    private static WorkerSource<Map<String, Object>> source(String many) {
      return Feeds.stamped(_ -> Files.exists(Path.of(many)) ? MANY : 1, Feeds.PAYLOAD_BYTES);
    }

    private static void assertCopies(SubprocessIterable<Map<String, Object>> items, int pass) {
      SubprocessStats before = items.stats();
      int unit = 0;
      int copies = 0;
      for (Map<String, Object> item : items) {
        LAST_ITEM.set(System.nanoTime());
        Feeds.verify(item, pass, unit++);
        copies += isView(item) ? 0 : 1;
      }
      SubprocessStats after = items.stats();
      assertEquals(MANY, unit);
      assertEquals(MANY, after.items() - before.items());
      assertTrue(copies > 0, "no copy, but the writer had to wait");
      assertEquals(copies, after.heapCopies() - before.heapCopies());
    }

    /** Leases are views also then. */
    private static void takeLease(SubprocessIterable<Map<String, Object>> items, int pass) {
      for (var lease : items.leases()) {
        try (lease) {
          Feeds.verify(lease.item(), pass, 0);
          assertTrue(isView(lease.item()), "the lease of a copy");
        }
      }
    }

    /** Takes passes of one item until it is a view, and returns the number of the next one. */
    private static int awaitViews(SubprocessIterable<Map<String, Object>> items, int first) {
      int[] pass = {first};
      Deadlines.assertEventually(
          "plain iteration gives views again",
          () -> {
            Deadlines.pause(Duration.ofMillis(100));
            boolean view = false;
            for (Map<String, Object> item : items) {
              Feeds.verify(item, pass[0]++, 0);
              view = isView(item);
            }
            return view;
          });
      return pass[0];
    }

    private static boolean isView(Map<String, Object> item) {
      return ((ByteBuffer) item.get("payload")).isDirect();
    }

    /** Other work of the process brings the collections that nobody can ask for. */
    private static void makeGarbageWhenStarved() {
      long bytes = 0;
      while (bytes >= 0) {
        if (System.nanoTime() - LAST_ITEM.get() > STARVED_NANOS) {
          bytes += new byte[1 << 20].length;
        }
        Deadlines.pause(Duration.ofMillis(1));
      }
    }
  }
}
