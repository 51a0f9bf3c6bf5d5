package dev.holdfast.acceptance.iterate;

import dev.holdfast.loader.Lease;
import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.SubprocessOptions;
import dev.holdfast.loader.WorkerFailedException;
import dev.holdfast.loader.WorkerOutput;
import dev.holdfast.loader.WorkerSource;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Parent;
import dev.holdfast.testkit.ProcSelf;
import dev.holdfast.testkit.Rounds;
import dev.holdfast.testkit.Seeds;
import java.io.Serializable;
import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Random;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Hundreds of passes of every kind with one worker, in processes with small heaps. */
@ExtendWith(Leftovers.class)
@Timeout(1800)
final class MixedPassesTest {
  private static final int PASSES = 200;
  private static final int WARM = 50;
  private static final long MORE_BYTES = 24L << 20;
  private static final int UNSENDABLE = 2;

  // R63
  @ParameterizedTest
  @ValueSource(strings = {"pool", "channel"})
  void passesInRandomOrderStartAtTheirFirstItemAndTheProcessesDoNotGrow(String transport) {
    try (ChildJvm child =
        ChildJvm.of(RandomPasses.class)
            .jvmArgs("-Xmx64m", "-Xms64m", "-XX:+AlwaysPreTouch", "-XX:+UseSerialGC")
            .args(transport, String.valueOf(Seeds.next()))
            .start()) {
      child.awaitSuccess(Duration.ofMinutes(3));
    }
  }

  // R72
  @Test
  void aMillionItemsLeaveTheHeapsFlat() {
    int items = Rounds.of(1_000_000);
    try (ChildJvm child =
        ChildJvm.of(ManyItems.class)
            .jvmArgs("-Xmx48m", "-XX:+UseSerialGC")
            .args(String.valueOf(items))
            .start()) {
      child.awaitSuccess(Duration.ofMinutes(10));
    }
  }

  // R72
  @Test
  void objectThatChangesBetweenItsItemsArrivesAsItWasEachTime() {
    Map<String, Object> same = new HashMap<>();
    WorkerSource<Object> source =
        Feeds.counting(
            100,
            index -> {
              same.put("counter", index);
              return same;
            });
    try (SubprocessIterable<Object> items = Subprocess.iterate(source)) {
      int expected = 0;
      for (Object item : items) {
        Assertions.assertEquals(Map.of("counter", expected++), item);
      }
      Assertions.assertEquals(100, expected);
    }
  }

  private static SubprocessOptions smallWorker(boolean withArena) {
    return Feeds.options(withArena)
        .standardError(WorkerOutput.inherit())
        .jvmArgs("-Xmx64m", "-Xms64m", "-XX:+AlwaysPreTouch", "-XX:+UseSerialGC")
        .build();
  }

  /** What a pass does. Both processes draw the same kinds from the seed. */
  private enum Kind {
    EMPTY(0),
    ONE(1),
    FIVE(5),
    FIVE_OF_TEN(10),
    FAILING(10),
    FAILING_AT_ONCE(1),
    UNSENDABLE_ITEM(5);

    final int units;

    Kind(int units) {
      this.units = units;
    }

    static Kind ofPass(long seed, int pass) {
      return values()[new Random(seed * 1_000_003 + pass).nextInt(values().length)];
    }
  }

  /** Runs the passes and watches both processes. */
  static final class RandomPasses {
    private RandomPasses() {}

    public static void main(String[] arguments) {
      long seed = Long.parseLong(arguments[1]);
      WorkerSource<Map<String, Object>> source =
          Feeds.passes(
              pass -> Kind.ofPass(seed, pass).units, (pass, unit) -> made(seed, pass, unit));
      long own = ProcessHandle.current().pid();
      try (SubprocessIterable<Map<String, Object>> items =
          Subprocess.iterate(source, smallWorker(arguments[0].equals("pool")))) {
        long ownBefore = 0;
        long workerBefore = 0;
        for (int pass = 0; pass < PASSES; pass++) {
          if (pass == WARM) {
            ownBefore = ProcSelf.statusBytes(own, "RssAnon");
            workerBefore = ProcSelf.statusBytes(items.pid(), "RssAnon");
          }
          run(items, Kind.ofPass(seed, pass), pass);
        }
        assertFlat("parent", ownBefore, ProcSelf.statusBytes(own, "RssAnon"));
        assertFlat("worker", workerBefore, ProcSelf.statusBytes(items.pid(), "RssAnon"));
        Assertions.assertEquals(PASSES, items.stats().passes());
        items.arena().ifPresent(arena -> Assertions.assertEquals(0, arena.stats().held()));
      }
    }

    private static Map<String, Object> made(long seed, int pass, int unit) {
      Kind kind = Kind.ofPass(seed, pass);
      if ((kind == Kind.FAILING && unit == 3) || kind == Kind.FAILING_AT_ONCE) {
        throw new UnsupportedOperationException("pass " + pass);
      }
      if (kind == Kind.UNSENDABLE_ITEM && unit == UNSENDABLE) {
        return Map.of("pass", pass, "payload", new byte[Feeds.PAYLOAD_BYTES], "no", new Thread());
      }
      return Feeds.item(pass, unit, Feeds.PAYLOAD_BYTES);
    }

    private static void run(SubprocessIterable<Map<String, Object>> items, Kind kind, int pass) {
      Iterator<Lease<Map<String, Object>>> leases = items.leases().iterator();
      int wanted =
          switch (kind) {
            case FAILING -> 3;
            case FAILING_AT_ONCE -> 0;
            case FIVE_OF_TEN -> 5;
            default -> kind.units;
          };
      for (int unit = 0; unit < wanted; unit++) {
        if (kind == Kind.UNSENDABLE_ITEM && unit == UNSENDABLE) {
          WorkerFailedException failed =
              Assertions.assertThrows(WorkerFailedException.class, leases::next);
          Assertions.assertEquals((long) UNSENDABLE, failed.facts().get("index"));
          continue;
        }
        try (Lease<Map<String, Object>> lease = leases.next()) {
          Feeds.verify(lease.item(), pass, unit);
        }
      }
      if (kind == Kind.FIVE_OF_TEN) {
        return;
      }
      if (kind == Kind.FAILING || kind == Kind.FAILING_AT_ONCE) {
        WorkerFailedException failed =
            Assertions.assertThrows(WorkerFailedException.class, leases::next);
        Assertions.assertEquals("pass " + pass, failed.facts().get("remoteMessage"));
      }
      Assertions.assertFalse(leases.hasNext());
      Assertions.assertThrows(NoSuchElementException.class, leases::next);
    }

    private static void assertFlat(String who, long before, long after) {
      Parent.say(who + ": anonymous bytes after " + WARM + " passes " + before + ", now " + after);
      Assertions.assertTrue(after < before + MORE_BYTES, who + " grew by " + (after - before));
    }
  }

  /** Receives small items with a small heap, and more distinct strings than any cache may keep. */
  static final class ManyItems {
    private ManyItems() {}

    private record Small(int index, String name, List<Integer> numbers) implements Serializable {
      private static final long serialVersionUID = 1L;
    }

    public static void main(String[] arguments) {
      int count = Integer.parseInt(arguments[0]);
      WorkerSource<Small> source =
          Feeds.counting(
              count, index -> new Small(index, "name of item " + index, List.of(index, -index)));
      SubprocessOptions options =
          SubprocessOptions.builder().jvmArgs("-Xmx48m", "-XX:+UseSerialGC").build();
      try (SubprocessIterable<Small> items = Subprocess.iterate(source, options)) {
        int expected = 0;
        for (Small item : items) {
          Small right =
              new Small(expected, "name of item " + expected, List.of(expected, -expected));
          Assertions.assertEquals(right, item);
          expected++;
        }
        Assertions.assertEquals(count, expected);
      }
    }
  }
}
