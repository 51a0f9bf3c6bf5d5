package dev.holdfast.acceptance.worker;

import dev.holdfast.arena.Backing;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.arena.internal.fault.FaultPoint.InjectedFault;
import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.testkit.Maps;
import dev.holdfast.testkit.Parent;
import dev.holdfast.testkit.ProcSelf;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A process whose first construction of an arena is broken, and which tries again at once. */
final class SecondTryMain {
  private SecondTryMain() {}

  /**
   * Runs.
   *
   * @param args the path of the arena's file
   */
  public static void main(String[] args) {
    Path file = Path.of(args[0]);
    try {
      SharedMemorySegmentPool broken = pool(file);
      throw new IllegalStateException("nothing broke: " + broken);
    } catch (InjectedFault e) {
      requireNothingLeft(file.getParent());
      Parent.say("FAILED " + e.getMessage());
    }
    int seen = 0;
    try (SubprocessIterable<Map<String, Object>> items =
        Subprocess.iterate(Workers.stamped(3), Workers.options().arena(pool(file)).build())) {
      for (Map<String, Object> item : items) {
        Workers.verify(seen++, item);
      }
    }
    Parent.say("DONE " + seen);
  }

  private static void requireNothingLeft(Path folder) {
    List<String> open =
        ProcSelf.descriptors().values().stream()
            .filter(file -> file.startsWith(folder.toString()))
            .toList();
    if (!open.isEmpty() || !Maps.ofArenas().isEmpty()) {
      throw new IllegalStateException("left: open=" + open + " mapped=" + Maps.ofArenas());
    }
  }

  private static SharedMemorySegmentPool pool(Path file) {
    return SharedMemorySegmentPool.builder(Workers.PAYLOAD_BYTES, 4)
        .backing(Backing.file(file))
        .build();
  }
}
