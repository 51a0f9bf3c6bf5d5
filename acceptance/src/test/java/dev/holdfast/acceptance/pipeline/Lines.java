package dev.holdfast.acceptance.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.arena.SharedMemoryRingBuffer;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.arena.payload.Tensor;
import dev.holdfast.loader.Lease;
import dev.holdfast.loader.Parcel;
import dev.holdfast.loader.SubprocessOptions;
import dev.holdfast.loader.WorkerOutput;
import dev.holdfast.loader.pipeline.ProcessRegion;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Deadlines;
import java.io.Serializable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** Sources, regions and checks of the tests of this package. */
final class Lines {
  /** Elements of a payload; an odd number, above the limit for what travels inline. */
  static final int ELEMENTS = 5_003;

  private Lines() {}

  /** Options of workers that start fast and say nothing. */
  static SubprocessOptions.Builder options() {
    return SubprocessOptions.builder()
        .jvmArgs(ChildJvm.SHORT_LIVED, "-XX:+UseSerialGC", "-Xmx128m")
        .startTimeout(Duration.ofMinutes(3))
        .standardOutput(WorkerOutput.discard())
        .standardError(WorkerOutput.discard());
  }

  static ProcessRegion region(int workers) {
    return ProcessRegion.workers(workers).options(options().build());
  }

  /** The numbers from 0 on, a new pass each time; can cross. */
  record Below(int count) implements Iterable<Integer>, Serializable {
    private static final long serialVersionUID = 1L;

    @Override
    public Iterator<Integer> iterator() {
      return IntStream.range(0, count).iterator();
    }
  }

  static List<Integer> listBelow(int count) {
    return IntStream.range(0, count).boxed().toList();
  }

  static <T> List<T> pass(Iterable<T> pipeline) {
    List<T> all = new ArrayList<>();
    pipeline.forEach(all::add);
    return all;
  }

  static <T> List<T> some(Iterable<T> pipeline, int count) {
    Iterator<T> results = pipeline.iterator();
    List<T> all = new ArrayList<>();
    while (all.size() < count) {
      all.add(results.next());
    }
    return all;
  }

  /** A payload whose every element is a number. */
  static float[] payload(int number) {
    float[] payload = new float[ELEMENTS];
    Arrays.fill(payload, number);
    return payload;
  }

  /** Fails unless every element is a number; returns it. */
  static int stamp(float[] payload) {
    assertEquals(ELEMENTS, payload.length);
    for (float element : payload) {
      assertEquals(payload[0], element);
    }
    return (int) payload[0];
  }

  /**
   * Discards every third of some parcels and has the others opened on another thread, where each is
   * full of its number; returns how many came.
   */
  static int openOrDiscard(Iterable<Parcel<Tensor>> parcels) throws Exception {
    int next = 0;
    for (Parcel<Tensor> parcel : parcels) {
      int number = next++;
      if (number % 3 == 0) {
        parcel.discard();
        assertThrows(IllegalStateException.class, () -> parcel.open(ViewScope.CONFINED));
      } else {
        assertEquals(number, Deadlines.result(Deadlines.start("opens", () -> opened(parcel))));
      }
    }
    return next;
  }

  private static int opened(Parcel<Tensor> parcel) {
    try (Lease<Tensor> lease = parcel.open(ViewScope.CONFINED)) {
      float[] payload = new float[ELEMENTS];
      lease.item().asByteBuffer().asFloatBuffer().get(payload);
      return stamp(payload);
    }
  }

  /** Arenas of the caller, which a test closes and unlinks. */
  static final class Arenas implements AutoCloseable {
    private final List<SharedMemoryArena> arenas = new ArrayList<>();

    static Arenas pools(int count, int segments) {
      return pools(count, segments, Duration.ofMinutes(5));
    }

    static Arenas pools(int count, int segments, Duration acquireTimeout) {
      Arenas made = new Arenas();
      for (int i = 0; i < count; i++) {
        made.arenas.add(
            SharedMemorySegmentPool.builder(ELEMENTS * 4L + 64, segments)
                .acquireTimeout(acquireTimeout)
                .build());
      }
      return made;
    }

    /** Makes an arena for each of some workers. */
    static Arenas of(int count, Supplier<SharedMemoryArena> arena) {
      Arenas made = new Arenas();
      for (int i = 0; i < count; i++) {
        made.arenas.add(arena.get());
      }
      return made;
    }

    static Arenas rings(int count, int payloads) {
      Arenas made = new Arenas();
      for (int i = 0; i < count; i++) {
        made.arenas.add(
            SharedMemoryRingBuffer.builder(4L * payloads * ELEMENTS)
                .acquireTimeout(Duration.ofMinutes(5))
                .build());
      }
      return made;
    }

    SharedMemoryArena get(int index) {
      return arenas.get(index);
    }

    @Override
    public void close() {
      for (SharedMemoryArena arena : arenas) {
        arena.close();
        arena.unlink();
      }
    }
  }
}
