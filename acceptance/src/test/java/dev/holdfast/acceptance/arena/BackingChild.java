package dev.holdfast.acceptance.arena;

import dev.holdfast.arena.Backing;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.testkit.Parent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * A process that makes pools over a backing: {@code KIND PATH once}; {@code KIND PATH large BYTES}
 * asks for so many bytes three times and then for a small pool; {@code KIND PATH second FILE} fills
 * the mount by a first pool and then by a file, and asks for a second pool each time.
 */
final class BackingChild {
  private BackingChild() {}

  public static void main(String[] arguments) throws Exception {
    Path path = Path.of(arguments[1]);
    String kind = arguments[0];
    switch (arguments[2]) {
      case "once" -> {
        try (Rig rig = make(kind, path, 8192, 3)) {
          use(rig);
        } catch (RuntimeException e) {
          Parent.say("FAILED " + e);
          Parent.read();
        }
      }
      case "large" -> {
        for (int i = 0; i < 3; i++) {
          refused(kind, path, Long.parseLong(arguments[3]));
        }
        try (Rig rig = make(kind, path, 8192, 3)) {
          use(rig);
        }
      }
      case "second" -> second(kind, path, Path.of(arguments[3]));
      default -> throw new IllegalArgumentException(arguments[2]);
    }
  }

  private static void second(String kind, Path path, Path filler) throws Exception {
    Path other = path.resolveSibling(path.getFileName() + "2");
    Path place = kind.equals("directory") ? path : other;
    try (Rig first = make(kind, path, 3 << 20, 1)) {
      first.passThrough(2, 3 << 20);
      refused(kind, place, 3 << 20);
    }
    byte[] content = new byte[3 << 20];
    Path written = Files.write(filler, content);
    refused(kind, place, 3 << 20);
    refused(kind, place, 3 << 20);
    Files.delete(written);
    try (Rig rig = make(kind, path, 3 << 20, 1)) {
      use(rig);
    }
  }

  private static void refused(String kind, Path path, long bytes) {
    long start = System.nanoTime();
    try (Rig rig = make(kind, path, bytes, 1)) {
      Parent.say("REFUSED not " + rig.arena);
    } catch (RuntimeException e) {
      long millis = (System.nanoTime() - start) / 1_000_000;
      Parent.say(
          "REFUSED " + e.getClass().getSimpleName() + " millis=" + millis + " " + e.getMessage());
    }
  }

  private static Rig make(String kind, Path path, long segmentSize, int count) {
    Backing backing =
        switch (kind) {
          case "memfd" -> Backing.memfd();
          case "directory" -> Backing.directory(path);
          case "file" -> Backing.file(path);
          default -> throw new IllegalArgumentException(kind);
        };
    return new Rig(
        SharedMemorySegmentPool.builder(segmentSize, count)
            .backing(backing)
            .acquireTimeout(Duration.ofSeconds(60))
            .build());
  }

  private static void use(Rig rig) {
    rig.admitAndOpen(rig.write(4096), ViewScope.CONFINED).close();
    Parent.say("MADE");
    if (!Parent.read().equals("end")) {
      throw new IllegalStateException("unknown command");
    }
  }
}
