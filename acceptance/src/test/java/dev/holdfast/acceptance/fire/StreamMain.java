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
import dev.holdfast.loader.pipeline.ArenaSource;
import dev.holdfast.loader.pipeline.Pipeline;
import dev.holdfast.loader.pipeline.PipelineIterable;
import dev.holdfast.loader.pipeline.ProcessRegion;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Parent;
import dev.holdfast.testkit.Stamps;
import java.io.Serializable;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.function.ObjLongConsumer;
import java.util.stream.LongStream;

/**
 * A parent that streams stamped units from workers and checks each: {@code UNITS SEGMENT-BYTES
 * BACKING KIND}, the backing {@code memfd}, a folder, or a file to be made. The kind is {@code
 * pool}, {@code pinned} for a pool whose pages are locked, or {@code ring} for one worker, {@link
 * #REGION} for a pipeline with a region, and {@link #HOSTED} for one that runs in a worker, whose
 * children the region's are, and whose JVM gets the arguments that follow. All of them have this
 * process's {@link Marked#PROPERTY}.
 */
final class StreamMain {
  static final int UNIT_BYTES = 50_000;

  static final String REGION = "region";
  static final String HOSTED = "hosted";

  private static final int PAYLOADS = 4;
  private static final int DISCARDED = 5;
  private static final int WORKERS = 2;

  private StreamMain() {}

  public static void main(String[] arguments) {
    long units = Long.parseLong(arguments[0]);
    long payloadBytes = Long.parseLong(arguments[1]);
    String place = arguments[2];
    switch (arguments[3]) {
      case REGION -> throughRegion(units, payloadBytes, place);
      case HOSTED ->
          throughHost(
              units, payloadBytes, place, Arrays.copyOfRange(arguments, 4, arguments.length));
      default -> fromWorker(units, arena(arguments[3], payloadBytes, backing(place)));
    }
  }

  private static SubprocessOptions.Builder options() {
    return SubprocessOptions.builder()
        .jvmArgs("-Xmx32m", "-XX:+UseSerialGC", ChildJvm.SHORT_LIVED)
        .jvmArgs(Marked.jvmArgument(System.getProperty(Marked.PROPERTY, "")));
  }

  private static void fromWorker(long units, SharedMemoryArena arena) {
    WorkerSource<ByteBuffer> source =
        _ -> () -> LongStream.range(0, units).mapToObj(StreamMain::stamped).iterator();
    try (SubprocessIterable<ByteBuffer> items =
        Subprocess.iterate(source, options().arena(arena).build())) {
      takeAll(items.parcels(), items.pid(), StreamMain::take);
    }
  }

  private static <T> void takeAll(Iterable<T> items, long pid, ObjLongConsumer<T> take) {
    long unit = 0;
    for (T item : items) {
      take.accept(item, unit);
      if (unit == 0) {
        Parent.say("STREAMS " + pid);
      }
      unit++;
    }
    Parent.say("UNITS " + unit);
  }

  private static void throughRegion(long units, long payloadBytes, String place) {
    List<SharedMemoryArena> inputs = new ArrayList<>();
    List<SharedMemoryArena> outputs = new ArrayList<>();
    for (int i = 0; i < WORKERS; i++) {
      inputs.add(arena("ring", payloadBytes, Backing.memfd()));
      outputs.add(outputArena(i, payloadBytes, place));
    }
    try (PipelineIterable<ByteBuffer> items =
        pipeline(units, WORKERS, inputs::get, outputs::get).build()) {
      takeAll(items.leases(), ProcessHandle.current().pid(), StreamMain::verify);
    }
    for (List<SharedMemoryArena> arenas : List.of(inputs, outputs)) {
      for (SharedMemoryArena arena : arenas) {
        arena.close();
        arena.unlink();
      }
    }
  }

  /** The host makes the arenas, and closes them. */
  private static void throughHost(
      long units, long payloadBytes, String place, String... jvmArguments) {
    try (SubprocessIterable<ByteBuffer> items =
        Subprocess.iterate(
            pipeline(
                units,
                1,
                _ -> arena("ring", payloadBytes, Backing.memfd()),
                index -> outputArena(index, payloadBytes, place)),
            options()
                .jvmArgs(jvmArguments)
                .arena(arena("pool", payloadBytes, Backing.memfd()))
                .build())) {
      takeAll(items.leases(), items.pid(), StreamMain::verify);
    }
  }

  /** Only one of them can have a name. */
  private static SharedMemoryArena outputArena(int worker, long payloadBytes, String place) {
    return arena("pool", payloadBytes, worker == 0 ? backing(place) : Backing.memfd());
  }

  private static Pipeline<ByteBuffer> pipeline(
      long units, int workers, ArenaSource inputs, ArenaSource outputs) {
    return Pipeline.from(new Numbers(units))
        .<ByteBuffer>map(StreamMain::stamped)
        .to(
            ProcessRegion.workers(workers)
                .options(options().build())
                .inputArena(inputs)
                .outputArena(outputs))
        .<ByteBuffer>map(StreamMain::copied)
        .toMain();
  }

  /** The numbers from 0 on; can cross. */
  private record Numbers(long count) implements Iterable<Long>, Serializable {
    private static final long serialVersionUID = 1L;

    @Override
    public Iterator<Long> iterator() {
      return LongStream.range(0, count).iterator();
    }
  }

  private static ByteBuffer copied(ByteBuffer buffer) {
    return ByteBuffer.allocate(buffer.remaining()).put(buffer).flip();
  }

  private static void take(Parcel<ByteBuffer> parcel, long unit) {
    if (unit % DISCARDED == DISCARDED - 1) {
      parcel.discard();
      return;
    }
    ViewScope scope = unit % 2 == 0 ? ViewScope.CONFINED : ViewScope.SHARED;
    verify(parcel.open(scope), unit);
  }

  private static void verify(Lease<ByteBuffer> lease, long unit) {
    try (lease) {
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
