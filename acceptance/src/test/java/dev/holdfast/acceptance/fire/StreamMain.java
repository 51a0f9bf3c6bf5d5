package dev.holdfast.acceptance.fire;

import dev.holdfast.arena.Backing;
import dev.holdfast.arena.PagePinner;
import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.arena.SharedMemoryRingBuffer;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.loader.Lease;
import dev.holdfast.loader.Parcel;
import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.SubprocessOptions;
import dev.holdfast.loader.WorkerSource;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Parent;
import dev.holdfast.testkit.Stamps;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.LongStream;

/**
 * A parent that streams stamped units from a worker and checks each: {@code UNITS SEGMENT-BYTES
 * BACKING KIND}, the backing {@code memfd}, a folder, or a file to be made, the kind {@code pool},
 * {@code pinned} for a pool whose pages are locked, or {@code ring}. The worker has this process's
 * {@link Marked#PROPERTY}.
 */
final class StreamMain {
  static final int UNIT_BYTES = 50_000;

  private static final int PAYLOADS = 4;
  private static final int DISCARDED = 5;

  private StreamMain() {}

  public static void main(String[] arguments) {
    long units = Long.parseLong(arguments[0]);
    WorkerSource<ByteBuffer> source =
        _ -> () -> LongStream.range(0, units).mapToObj(StreamMain::stamped).iterator();
    SubprocessOptions options =
        SubprocessOptions.builder()
            .arena(arena(arguments[3], Long.parseLong(arguments[1]), backing(arguments[2])))
            .jvmArgs("-Xmx32m", "-XX:+UseSerialGC", ChildJvm.SHORT_LIVED)
            .jvmArgs(Marked.jvmArgument(System.getProperty(Marked.PROPERTY, "")))
            .build();
    try (SubprocessIterable<ByteBuffer> items = Subprocess.iterate(source, options)) {
      long unit = 0;
      for (Parcel<ByteBuffer> parcel : items.parcels()) {
        take(parcel, unit);
        if (unit == 0) {
          Parent.say("STREAMS " + items.pid());
        }
        unit++;
      }
      Parent.say("UNITS " + unit);
    }
  }

  private static void take(Parcel<ByteBuffer> parcel, long unit) {
    if (unit % DISCARDED == DISCARDED - 1) {
      parcel.discard();
      return;
    }
    ViewScope scope = unit % 2 == 0 ? ViewScope.CONFINED : ViewScope.SHARED;
    try (Lease<ByteBuffer> lease = parcel.open(scope)) {
      Stamps.verify(MemorySegment.ofBuffer(lease.item()), unit, 0);
    }
  }

  private static ByteBuffer stamped(long unit) {
    ByteBuffer buffer = ByteBuffer.allocate(UNIT_BYTES);
    Stamps.fill(MemorySegment.ofBuffer(buffer), unit, 0);
    return buffer;
  }

  private static SharedMemoryArena arena(String kind, long payloadBytes, Backing backing) {
    return switch (kind) {
      case "ring" ->
          SharedMemoryRingBuffer.builder(PAYLOADS * payloadBytes).backing(backing).build();
      case "pinned" ->
          SharedMemorySegmentPool.builder(payloadBytes, PAYLOADS)
              .backing(backing)
              .pinned(PagePinner.mlock())
              .build();
      case "pool" ->
          SharedMemorySegmentPool.builder(payloadBytes, PAYLOADS).backing(backing).build();
      default -> throw new IllegalArgumentException(kind);
    };
  }

  private static Backing backing(String place) {
    if (place.equals("memfd")) {
      return Backing.memfd();
    }
    Path path = Path.of(place);
    return Files.isDirectory(path) ? Backing.directory(path) : Backing.file(path);
  }
}
