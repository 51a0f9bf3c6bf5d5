package dev.holdfast.acceptance.fire;

import dev.holdfast.arena.Backing;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.loader.Lease;
import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.SubprocessOptions;
import dev.holdfast.loader.WorkerSource;
import dev.holdfast.testkit.Parent;
import dev.holdfast.testkit.Stamps;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.LongStream;

/**
 * A parent that streams stamped units from a worker and checks each: {@code UNITS SEGMENT-BYTES
 * BACKING}, the backing {@code memfd}, a folder, or a file to be made.
 */
final class StreamMain {
  static final int UNIT_BYTES = 50_000;

  private StreamMain() {}

  public static void main(String[] arguments) {
    long units = Long.parseLong(arguments[0]);
    WorkerSource<ByteBuffer> source =
        _ -> () -> LongStream.range(0, units).mapToObj(StreamMain::stamped).iterator();
    SubprocessOptions options =
        SubprocessOptions.builder()
            .arena(
                SharedMemorySegmentPool.builder(Long.parseLong(arguments[1]), 4)
                    .backing(backing(arguments[2]))
                    .build())
            .jvmArgs("-Xmx32m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
            .build();
    try (SubprocessIterable<ByteBuffer> items = Subprocess.iterate(source, options)) {
      long unit = 0;
      for (Lease<ByteBuffer> lease : items.leases()) {
        try (lease) {
          Stamps.verify(MemorySegment.ofBuffer(lease.item()), unit, 0);
        }
        if (unit == 0) {
          Parent.say("STREAMS " + items.pid());
        }
        unit++;
      }
      Parent.say("UNITS " + unit);
    }
  }

  private static ByteBuffer stamped(long unit) {
    ByteBuffer buffer = ByteBuffer.allocate(UNIT_BYTES);
    Stamps.fill(MemorySegment.ofBuffer(buffer), unit, 0);
    return buffer;
  }

  private static Backing backing(String place) {
    if (place.equals("memfd")) {
      return Backing.memfd();
    }
    Path path = Path.of(place);
    return Files.isDirectory(path) ? Backing.directory(path) : Backing.file(path);
  }
}
