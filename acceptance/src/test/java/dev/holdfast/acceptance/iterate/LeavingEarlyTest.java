package dev.holdfast.acceptance.iterate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.loader.Lease;
import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.WorkerContext;
import dev.holdfast.loader.WorkerSource;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What the worker's code learns when its consumer leaves. */
@ExtendWith(Leftovers.class)
@Timeout(300)
final class LeavingEarlyTest {
  private static final Duration MOMENT = Duration.ofSeconds(10);

  @TempDir private Path folder;

  /** Works on its third item until nobody wants it any more. */
  private static final class Patient implements Iterator<String>, AutoCloseable {
    private final WorkerContext context;
    private final String folder;
    private final int pass;
    private int next;

    Patient(WorkerContext context, String folder, int pass) {
      this.context = context;
      this.folder = folder;
      this.pass = pass;
    }

    @Override
    public boolean hasNext() {
      return true;
    }

    @Override
    public String next() {
      if (next == 2) {
        sign("working");
        while (!context.stopRequested()) {
          Deadlines.pause(Duration.ofMillis(5));
        }
        sign("stopped");
        return "unwanted";
      }
      return "item " + next++;
    }

    @Override
    public void close() {
      sign("closed");
    }

    private void sign(String what) {
      try {
        Files.writeString(Path.of(folder, what + pass), context.stopRequested() ? "yes" : "no");
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private static WorkerSource<String> patient(String folder) {
    AtomicInteger passes = new AtomicInteger();
    return context -> () -> new Patient(context, folder, passes.getAndIncrement());
  }

  private void awaitSign(String name) {
    Deadlines.assertEventually(
        "the source is " + name, MOMENT, () -> Files.exists(folder.resolve(name)));
  }

  @Test
  void sourceThatLooksAtTheStopFlagMakesWayForTheNextPass() throws Exception {
    try (SubprocessIterable<String> items = Subprocess.iterate(patient(folder.toString()))) {
      Iterator<String> iterator = items.iterator();
      for (int pass = 0; pass < 5; pass++) {
        assertEquals("item 0", iterator.next());
        assertEquals("item 1", iterator.next());
        awaitSign("working" + pass);
        assertFalse(Files.exists(folder.resolve("stopped" + pass)));
        long start = System.nanoTime();
        iterator = items.iterator();
        assertTrue(iterator.hasNext());
        assertTrue(System.nanoTime() - start < MOMENT.toNanos());
        assertEquals("yes", Files.readString(folder.resolve("stopped" + pass)));
        assertTrue(Files.exists(folder.resolve("closed" + pass)));
      }
    }
  }

  @Test
  void closeIsSeenByTheSourceToo() throws Exception {
    long start;
    try (SubprocessIterable<String> items = Subprocess.iterate(patient(folder.toString()))) {
      Iterator<String> iterator = items.iterator();
      assertEquals("item 0", iterator.next());
      assertEquals("item 1", iterator.next());
      awaitSign("working0");
      start = System.nanoTime();
    }
    assertTrue(System.nanoTime() - start < Duration.ofSeconds(5).toNanos());
    assertTrue(Files.exists(folder.resolve("stopped0")));
    assertEquals("yes", Files.readString(folder.resolve("closed0")));
  }

  @Test
  void workerThatWaitsForSpaceLeavesItsPassAtOnce() {
    try (SubprocessIterable<Map<String, Object>> items =
        Subprocess.iterate(
            Feeds.stamped(1_000_000),
            Feeds.options(false).arena(Feeds.pool(3, Feeds.LONG)).build())) {
      for (int pass = 0; pass < 30; pass++) {
        Iterator<Lease<Map<String, Object>>> leases = items.leases().iterator();
        try (Lease<Map<String, Object>> first = leases.next();
            Lease<Map<String, Object>> second = leases.next()) {
          Feeds.verify(first.item(), pass, 0);
          Feeds.verify(second.item(), pass, 1);
          Deadlines.pause(Duration.ofMillis(10));
        }
      }
    }
  }
}
