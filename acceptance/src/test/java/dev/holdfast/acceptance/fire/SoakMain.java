package dev.holdfast.acceptance.fire;

import dev.holdfast.arena.Backing;
import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.arena.SharedMemoryRingBuffer;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.loader.Lease;
import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.SubprocessOptions;
import dev.holdfast.loader.WorkerDiedException;
import dev.holdfast.loader.WorkerFailedException;
import dev.holdfast.loader.WorkerSource;
import dev.holdfast.loader.pipeline.OnWorkerDeath;
import dev.holdfast.loader.pipeline.Pipeline;
import dev.holdfast.loader.pipeline.PipelineIterable;
import dev.holdfast.loader.pipeline.ProcessRegion;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Parent;
import dev.holdfast.testkit.Stamps;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * A process under mixed load for a time, {@code DURATION SAMPLE-INTERVAL}: a worker that streams
 * through a pool, a region whose workers are killed now and then, and new runs one after the other
 * that end in every way there is. Between two runs it says what it has, a row a sample, and fails
 * when that has grown.
 */
final class SoakMain {
  private static final int SEGMENT = 64 << 10;
  private static final int SEGMENTS = 4;
  private static final int MANY = 1_000_000;
  private static final int PASS = 2000;
  private static final int INPUTS = 200;
  private static final long BREATH_NANOS = 2_000_000;

  /** The ways in which a run ends; the first row is taken when each has been seen. */
  private enum Ending {
    AT_THE_END,
    EARLY,
    BY_AN_ERROR,
    BY_A_KILL,
    CLOSED_TWICE,
    DROPPED,
    NEVER_STARTED
  }

  private final long start = System.nanoTime();
  private final long nanos;
  private final long interval;
  private final AtomicLong units = new AtomicLong();
  private final AtomicLong kills = new AtomicLong();
  private final CountDownLatch streams = new CountDownLatch(1);
  private volatile boolean over;
  private long worker; // written before the latch opens
  private long runs;

  private SoakMain(Duration duration, Duration interval) {
    this.nanos = duration.toNanos();
    this.interval = interval.toNanos();
  }

  public static void main(String[] arguments) throws InterruptedException {
    new SoakMain(Duration.parse(arguments[0]), Duration.parse(arguments[1])).run();
  }

  private void run() throws InterruptedException {
    List<Thread> loads = List.of(load("stream", this::stream), load("region", this::region));
    streams.await();
    Parent.say(SoakSample.HEAD);
    SoakSample first = null;
    long lastSample = System.nanoTime();
    Ending[] endings = Ending.values();
    while (System.nanoTime() - start < nanos || runs < 2L * endings.length) {
      end(endings[(int) (runs % endings.length)], (int) (runs / endings.length));
      runs++;
      if (runs >= endings.length && (first == null || System.nanoTime() - lastSample >= interval)) {
        SoakSample now = sample();
        lastSample = System.nanoTime();
        first = first == null ? now : first;
        requireFlat(first, now);
      }
    }
    requireFlat(Objects.requireNonNull(first), sample());
    over = true;
    for (Thread load : loads) {
      load.join();
    }
    Parent.say("OVER runs=" + runs + " units=" + units + " kills=" + kills);
  }

  private SoakSample sample() {
    long seconds = (System.nanoTime() - start) / 1_000_000_000;
    SoakSample sample = SoakSample.take(seconds, runs, units.get(), kills.get(), worker);
    Parent.say(sample.row());
    return sample;
  }

  private static void requireFlat(SoakSample first, SoakSample now) {
    if (!now.isFlatSince(first)) {
      throw new IllegalStateException("it has grown: " + first + " -> " + now);
    }
  }

  /** A load that fails ends the process. */
  private static Thread load(String name, Runnable body) {
    return Thread.ofPlatform()
        .daemon()
        .name("test-" + name)
        .start(
            () -> {
              try {
                body.run();
              } catch (RuntimeException | Error e) {
                e.printStackTrace();
                printThreads();
                Runtime.getRuntime().halt(1);
              }
            });
  }

  /** What everybody waits for, when one of them has failed. */
  private static void printThreads() {
    Thread.getAllStackTraces()
        .forEach(
            (thread, stack) -> {
              System.err.println(thread);
              for (StackTraceElement frame : stack) {
                System.err.println("    at " + frame);
              }
            });
    ProcessHandle.current().children().forEach(child -> System.err.println(child.info()));
  }

  private static SubprocessOptions.Builder options() {
    return SubprocessOptions.builder()
        .jvmArgs("-Xms32m", "-Xmx32m", "-XX:+AlwaysPreTouch", "-XX:+UseSerialGC")
        .jvmArgs(ChildJvm.SHORT_LIVED);
  }

  private static SharedMemoryArena pool() {
    return new SharedMemorySegmentPool(SEGMENT, SEGMENTS);
  }

  private static SharedMemoryArena namedPool(long number) {
    Backing backing = Backing.file(SoakSample.file(number));
    return SharedMemorySegmentPool.builder(SEGMENT, SEGMENTS).backing(backing).build();
  }

  private static SharedMemoryArena ringInFolder() {
    Backing backing = Backing.directory(SoakSample.FOLDER);
    return SharedMemoryRingBuffer.builder((long) SEGMENTS * SEGMENT).backing(backing).build();
  }

  private static SharedMemoryArena ring() {
    return new SharedMemoryRingBuffer((long) SEGMENTS * SEGMENT);
  }

  private static WorkerSource<ByteBuffer> units(int count, int failsAt) {
    return _ ->
        () -> IntStream.range(0, count).mapToObj(index -> stamped(index, failsAt)).iterator();
  }

  private static ByteBuffer stamped(int index, int failsAt) {
    if (index == failsAt) {
      throw new IllegalStateException("as asked");
    }
    ByteBuffer buffer = ByteBuffer.allocate(SEGMENT);
    Stamps.fillSparse(MemorySegment.ofBuffer(buffer), index, 0);
    return buffer;
  }

  private void take(Lease<ByteBuffer> lease, long unit) {
    try (lease) {
      Stamps.verifySparse(MemorySegment.ofBuffer(lease.item()), unit, 0);
    }
    units.incrementAndGet();
  }

  /** One worker for the whole time, whose passes are left early. */
  private void stream() {
    try (SubprocessIterable<ByteBuffer> items =
        Subprocess.iterate(units(MANY, -1), options().arena(pool()).build())) {
      worker = items.pid();
      streams.countDown();
      while (!over) {
        long unit = 0;
        for (Lease<ByteBuffer> lease : items.leases()) {
          take(lease, unit++);
          if (unit == PASS || over) {
            break;
          }
          LockSupport.parkNanos(BREATH_NANOS);
        }
      }
    }
  }

  /** A region for the whole time; in every third pass one of its workers is killed. */
  private void region() {
    SharedMemoryArena[] arenas = {pool(), pool(), ring(), ring()};
    ProcessRegion region =
        ProcessRegion.workers(2)
            .options(options().build())
            .inputArena(index -> arenas[index])
            .outputArena(index -> arenas[2 + index])
            .onWorkerDeath(OnWorkerDeath.RESTART);
    try (PipelineIterable<Object[]> pipeline =
        Pipeline.from(() -> IntStream.range(0, INPUTS).iterator())
            .<ByteBuffer>map(index -> stamped(index, -1))
            .to(region)
            .<Object[]>map(SoakMain::answer)
            .toMain()
            .build()) {
      for (long pass = 0; !over; pass++) {
        int index = 0;
        for (Lease<Object[]> lease : pipeline.leases()) {
          try (lease) {
            if (pass % 3 == 2 && index == INPUTS / 2) {
              kill((Long) lease.item()[0]);
            }
            Stamps.verifySparse(MemorySegment.ofBuffer((ByteBuffer) lease.item()[1]), index++, 0);
          }
          units.incrementAndGet();
          LockSupport.parkNanos(BREATH_NANOS);
        }
        if (index != INPUTS) {
          throw new IllegalStateException("a pass of " + index);
        }
      }
    }
    for (SharedMemoryArena arena : arenas) {
      arena.close();
      arena.unlink();
    }
  }

  private static Object[] answer(ByteBuffer buffer) {
    byte[] copy = new byte[buffer.remaining()];
    buffer.get(copy);
    return new Object[] {ProcessHandle.current().pid(), ByteBuffer.wrap(copy)};
  }

  private void kill(long pid) {
    ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
    kills.incrementAndGet();
  }

  private void end(Ending ending, int turn) {
    if (ending == Ending.DROPPED) {
      drop();
      return;
    }
    SubprocessOptions.Builder options = options();
    switch (turn % 3) {
      case 0 -> options.arena(ringInFolder());
      case 1 -> options.arena(namedPool(runs));
      default -> {
        // through the channel
      }
    }
    if (ending == Ending.NEVER_STARTED) {
      neverStart(options);
      return;
    }
    int count = ending == Ending.BY_A_KILL ? MANY : 3;
    int failsAt = ending == Ending.BY_AN_ERROR ? 2 : -1;
    try (SubprocessIterable<ByteBuffer> items =
        Subprocess.iterate(units(count, failsAt), options.build())) {
      Iterator<Lease<ByteBuffer>> leases = items.leases().iterator();
      take(leases.next(), 0);
      switch (ending) {
        case AT_THE_END -> drain(leases, 1);
        case BY_AN_ERROR -> requireThrown(WorkerFailedException.class, leases, 1);
        case BY_A_KILL -> {
          kill(items.pid());
          requireThrown(WorkerDiedException.class, leases, 1);
        }
        case CLOSED_TWICE -> closeEarly(items);
        default -> {
          // it is left
        }
      }
    }
  }

  private static void closeEarly(SubprocessIterable<?> items) {
    items.close();
  }

  private void drain(Iterator<Lease<ByteBuffer>> leases, long from) {
    long unit = from;
    while (leases.hasNext()) {
      take(leases.next(), unit++);
    }
  }

  private void requireThrown(
      Class<? extends RuntimeException> type, Iterator<Lease<ByteBuffer>> leases, long from) {
    try {
      drain(leases, from);
    } catch (RuntimeException e) {
      if (type.isInstance(e)) {
        return;
      }
      throw e;
    }
    throw new IllegalStateException("it ended without " + type);
  }

  /** What nobody closes is the collector's. */
  private void drop() {
    SharedMemorySegmentPool pool = new SharedMemorySegmentPool(SEGMENT, SEGMENTS);
    if (pool.stats().published() != 0) {
      throw new IllegalStateException("units of nobody");
    }
    SubprocessIterable<ByteBuffer> items =
        Subprocess.iterate(units(3, -1), options().arena(pool()).build());
    take(items.leases().iterator().next(), 0);
  }

  private static void neverStart(SubprocessOptions.Builder options) {
    try {
      Subprocess.iterate(units(3, -1), options.jvmArgs("-XX:NoSuchOption").build()).close();
    } catch (WorkerDiedException e) {
      return;
    }
    throw new IllegalStateException("it started");
  }
}
