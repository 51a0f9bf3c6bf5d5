package dev.holdfast.acceptance.worker;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.acceptance.capacity.OtherUser;
import dev.holdfast.arena.Backing;
import dev.holdfast.loader.Lease;
import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.SubprocessOptions;
import dev.holdfast.loader.WorkerFailedException;
import dev.holdfast.loader.WorkerOutput;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Parent;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A parent that its own user's processes may not look into, because it is not dumpable (prctl(2)):
 * its descriptors in {@code /proc} are closed to them. Not so for root, so it runs as somebody
 * else.
 */
@ExtendWith(Leftovers.class)
@Timeout(180)
final class ShutOffParentTest {
  private static final int PR_SET_DUMPABLE = 4;

  @Test
  void itemsComeThroughTheChannelAllTheSame() {
    OtherUser.assumeThere();
    try (ChildJvm parent = OtherUser.start(ShutOff.class, Transport.CHANNEL.name())) {
      for (int pass = 0; pass < 2; pass++) {
        parent.awaitLine("DELIVERED " + ShutOff.ITEMS);
      }
      parent.awaitSuccess();
    }
  }

  @Test
  void itsWorkerEndsWithIt() {
    OtherUser.assumeThere();
    try (ChildJvm parent = OtherUser.start(ShutOff.class, Transport.CHANNEL.name(), "stay")) {
      long worker = Long.parseLong(parent.awaitLine("STAYS "));
      long killed = System.nanoTime();

      parent.killAndAwait();

      Promise.ends("a worker of a parent shut off", worker, Promise.ORPHAN_GONE, killed);
    }
  }

  @Test
  void anArenaIsRefusedWithTheReasonAndNothingIsLeft() {
    OtherUser.assumeThere();
    try (ChildJvm parent = OtherUser.start(ShutOff.class, Transport.POOL.name())) {
      String refusal = parent.awaitLine("REFUSED ");
      assertTrue(refusal.contains("cannot attach to shared memory"), refusal);
      assertTrue(refusal.contains("path=/proc/" + parent.pid() + "/fd/"), refusal);
      assertTrue(refusal.contains("dumpable"), refusal);
      parent.awaitSuccess();
    }
  }

  /** Uses nothing of JUnit, which the other user may not be able to read. */
  static final class ShutOff {
    static final int ITEMS = 50;

    private ShutOff() {}

    public static void main(String[] arguments) {
      Busy.prctl(PR_SET_DUMPABLE, 0);
      SubprocessOptions options =
          Transport.valueOf(arguments[0])
              .addTo(
                  SubprocessOptions.builder()
                      .jvmArgs(ChildJvm.SHORT_LIVED, "-XX:+UseSerialGC", "-Xmx64m")
                      .standardOutput(WorkerOutput.discard())
                      .standardError(WorkerOutput.discard()),
                  4,
                  Backing.memfd())
              .build();
      try (SubprocessIterable<Map<String, Object>> items =
          Subprocess.iterate(_ -> Workers.counting(ITEMS, ShutOff::item), options)) {
        for (int pass = 0; pass < 2; pass++) {
          Parent.say("DELIVERED " + take(items));
        }
        if (arguments.length > 1) {
          Parent.say("STAYS " + items.pid());
          throw new IllegalStateException(Parent.read());
        }
      } catch (WorkerFailedException e) {
        Parent.say("REFUSED " + e.getMessage());
      }
    }

    private static int take(SubprocessIterable<Map<String, Object>> items) {
      int index = 0;
      for (Lease<Map<String, Object>> lease : items.leases()) {
        try (lease) {
          if (!lease.item().equals(item(index))) {
            throw new IllegalStateException("not item " + index + ": " + lease.item());
          }
        }
        index++;
      }
      return index;
    }

    private static Map<String, Object> item(int index) {
      byte[] payload = new byte[Workers.PAYLOAD_BYTES];
      Arrays.fill(payload, (byte) index);
      return Map.of("index", index, "payload", ByteBuffer.wrap(payload));
    }
  }
}
