package dev.holdfast.acceptance.fire;

import dev.holdfast.arena.ArenaReader;
import dev.holdfast.arena.ArenaWriter;
import dev.holdfast.arena.Backing;
import dev.holdfast.arena.OpenUnit;
import dev.holdfast.arena.Placement;
import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.arena.SharedMemoryRingBuffer;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.arena.UnitLease;
import dev.holdfast.arena.UnitReceipt;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.loader.Lease;
import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.SubprocessOptions;
import dev.holdfast.loader.WorkerDiedException;
import dev.holdfast.loader.WorkerFailedException;
import dev.holdfast.loader.WorkerSource;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.GcPressure;
import dev.holdfast.testkit.Maps;
import dev.holdfast.testkit.Parent;
import dev.holdfast.testkit.ProcSelf;
import dev.holdfast.testkit.Stamps;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Runs of three units, one after the other, that end in every way there is, {@code RUNS WHERE}:
 * {@code worker} for units of a worker, {@code here} for an arena whose sides are both in this
 * process. What the process has after each has ended once is said and kept, and it fails when it
 * has more in the end.
 */
final class EndingsMain {
  private static final Path FOLDER = Path.of("/dev/shm");
  private static final String OURS =
      "holdfast-ending-" + ProcessHandle.current().pid() + "-"; // and the run
  private static final int UNITS = 3;
  private static final int SEGMENTS = 4;

  /** Large enough that an arena that stays is seen in the size of the process. */
  private static final int SEGMENT = 4 << 20;

  private static final int PAYLOAD = 50_003;

  /** Fewer than an ending leaves when it leaves something each time, and all come equally often. */
  private static final int LEAST_ALLOWED = 2;

  private static final int RUNS_PER_ALLOWED = 100;

  private enum Ending {
    NORMAL,
    LEFT,
    BY_AN_ERROR,
    CLOSED_TWICE,
    DROPPED,
    BY_A_KILL
  }

  private final boolean inWorker;
  private final List<Ending> endings;
  private int run;

  private EndingsMain(boolean inWorker) {
    this.inWorker = inWorker;
    this.endings =
        Stream.of(Ending.values()).filter(e -> inWorker || e != Ending.BY_A_KILL).toList();
  }

  public static void main(String[] arguments) {
    int runs = Integer.parseInt(arguments[0]);
    EndingsMain main = new EndingsMain(arguments[1].equals("worker"));
    main.runUntil(main.endings.size());
    Had first = settled("each has ended once", Had::hasNothingOfRuns);
    Parent.say("FIRST " + first);
    main.runUntil(runs);
    long allowed = Math.max(LEAST_ALLOWED, (runs - main.endings.size()) / RUNS_PER_ALLOWED);
    Had last =
        settled(
            "there is no more than " + first,
            had -> had.hasNothingOfRuns() && had.isFlatSince(first, allowed));
    Parent.say("LAST " + last);
  }

  /** Waits for what the collector and our own threads end. */
  private static Had settled(String what, Predicate<Had> reached) {
    long start = System.nanoTime();
    Had had = Had.now();
    while (!reached.test(had)) {
      if (System.nanoTime() - start > Deadlines.GENEROUS.toNanos()) {
        throw new IllegalStateException("did not happen: " + what + ": " + had);
      }
      had = Had.now();
    }
    return had;
  }

  private void runUntil(int end) {
    for (; run < end; run++) {
      Ending ending = endings.get(run % endings.size());
      if (inWorker) {
        endInWorker(ending, arena());
      } else {
        endHere(ending, arena());
      }
    }
  }

  /** Another backing for an ending each time. */
  private SharedMemoryArena arena() {
    int turn = run / endings.size() + run % endings.size();
    Backing backing =
        switch (turn % 3) {
          case 0 -> Backing.memfd();
          case 1 -> Backing.directory(FOLDER);
          default -> Backing.file(FOLDER.resolve(OURS + run));
        };
    return turn % 2 == 0
        ? SharedMemorySegmentPool.builder(SEGMENT, SEGMENTS).backing(backing).build()
        : SharedMemoryRingBuffer.builder(SEGMENTS * SEGMENT).backing(backing).build();
  }

  // in a worker

  private static void endInWorker(Ending ending, SharedMemoryArena arena) {
    int count = ending == Ending.BY_A_KILL ? Integer.MAX_VALUE : UNITS;
    int failsAt = ending == Ending.BY_AN_ERROR ? UNITS - 1 : -1;
    WorkerSource<ByteBuffer> source =
        _ -> () -> IntStream.range(0, count).mapToObj(unit -> stamped(unit, failsAt)).iterator();
    SubprocessOptions options =
        SubprocessOptions.builder()
            .arena(arena)
            .jvmArgs("-Xmx32m", "-XX:+UseSerialGC", ChildJvm.SHORT_LIVED)
            .build();
    SubprocessIterable<ByteBuffer> items = Subprocess.iterate(source, options);
    if (ending == Ending.DROPPED) {
      take(items.leases().iterator().next(), 0);
      return;
    }
    try (items) {
      Iterator<Lease<ByteBuffer>> leases = items.leases().iterator();
      take(leases.next(), 0);
      switch (ending) {
        case NORMAL -> drain(leases);
        case BY_AN_ERROR -> requireThrown(WorkerFailedException.class, leases);
        case BY_A_KILL -> {
          ChildJvm.signal(items.pid(), ChildJvm.SIGKILL);
          requireThrown(WorkerDiedException.class, leases);
        }
        case CLOSED_TWICE -> closeEarly(items);
        default -> {
          // it is left
        }
      }
    }
  }

  private static void closeEarly(AutoCloseable what) {
    try {
      what.close();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static ByteBuffer stamped(int unit, int failsAt) {
    if (unit == failsAt) {
      throw new IllegalStateException("as asked");
    }
    return ByteBuffer.wrap(Stamps.payload(PAYLOAD, unit, 0).toArray(ValueLayout.JAVA_BYTE));
  }

  private static void take(Lease<ByteBuffer> lease, long unit) {
    try (lease) {
      Stamps.verify(MemorySegment.ofBuffer(lease.item()), unit, 0);
    }
  }

  private static void drain(Iterator<Lease<ByteBuffer>> leases) {
    for (long unit = 1; leases.hasNext(); unit++) {
      take(leases.next(), unit);
    }
  }

  private static void requireThrown(
      Class<? extends RuntimeException> type, Iterator<Lease<ByteBuffer>> leases) {
    try {
      drain(leases);
    } catch (RuntimeException e) {
      if (type.isInstance(e)) {
        return;
      }
      throw e;
    }
    throw new IllegalStateException("it ended without " + type);
  }

  // in this process

  private static void endHere(Ending ending, SharedMemoryArena arena) {
    ArenaWriter writer = arena.openWriter();
    ArenaReader reader = arena.openReader();
    if (ending == Ending.DROPPED) {
      var _ = pass(writer, reader, ViewScope.COLLECTED);
      return;
    }
    try (arena) {
      for (int unit = 0; unit < UNITS - 1; unit++) {
        pass(writer, reader, unit == 0 ? ViewScope.CONFINED : ViewScope.SHARED).close();
      }
      if (ending == Ending.BY_AN_ERROR) {
        fail(writer);
      } else if (ending == Ending.LEFT) {
        reader.admit(write(writer).receipt());
        writer.beginUnit();
      } else {
        pass(writer, reader, ViewScope.CONFINED).close();
        writer.close();
        reader.close();
      }
      if (ending == Ending.CLOSED_TWICE) {
        arena.close();
      }
    } catch (IllegalStateException e) {
      if (ending != Ending.BY_AN_ERROR) {
        throw e;
      }
    }
    arena.unlink();
  }

  private record Written(UnitReceipt receipt, Placement placement) {}

  private static Written write(ArenaWriter writer) {
    writer.beginUnit();
    Placement placement = writer.writeBinary(Stamps.payload(PAYLOAD, writer.published(), 0));
    return new Written(writer.commitUnit(), placement);
  }

  private static UnitLease pass(ArenaWriter writer, ArenaReader reader, ViewScope scope) {
    Written written = write(writer);
    reader.admit(written.receipt());
    OpenUnit open = reader.beginUnit(written.receipt(), scope);
    MemorySegment view =
        open.readBinary(written.placement().offset(), written.placement().byteSize());
    Stamps.verify(view, written.receipt().unit(), 0);
    return open.endUnit(List.of());
  }

  private static void fail(ArenaWriter writer) {
    writer.beginUnit();
    throw new IllegalStateException("as asked");
  }

  /**
   * What the process has.
   *
   * @param threads its threads
   * @param descriptors its open descriptors
   * @param mappings its mappings of arenas
   * @param bytes its size in the address space
   * @param children its processes
   * @param files of its names in the folder
   */
  private record Had(
      int threads, int descriptors, int mappings, long bytes, long children, long files) {

    static Had now() {
      GcPressure.collect(2);
      long self = ProcessHandle.current().pid();
      return new Had(
          ProcSelf.threadCount(self),
          ProcSelf.descriptors().size(),
          Maps.ofArenas().size(),
          ProcSelf.statusBytes(self, "VmSize"),
          ProcessHandle.current().children().count(),
          countFiles());
    }

    private static long countFiles() {
      try (Stream<Path> files = Files.list(FOLDER)) {
        return files.filter(file -> file.getFileName().toString().startsWith(OURS)).count();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    boolean hasNothingOfRuns() {
      return mappings == 0 && children == 0 && files == 0;
    }

    boolean isFlatSince(Had before, long allowed) {
      return threads <= before.threads + allowed
          && descriptors <= before.descriptors + allowed
          && bytes <= before.bytes + allowed * SEGMENTS * SEGMENT;
    }
  }
}
