package dev.holdfast.acceptance.iterate;

import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.arena.SharedMemoryRingBuffer;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.SubprocessOptions;
import dev.holdfast.loader.WorkerOutput;
import dev.holdfast.loader.WorkerSource;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Stamps;
import java.io.Serializable;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/** What workers iterate over in these tests, and how their consumers check it. */
final class Feeds {
  /** Larger than what travels inside the envelope, and no multiple of anything. */
  static final int PAYLOAD_BYTES = 20_011;

  static final Duration LONG = Duration.ofMinutes(10);

  private Feeds() {}

  /** Makes the item of a place. */
  @FunctionalInterface
  interface Making<T> extends Serializable {
    T item(int index) throws Throwable;
  }

  /** Makes the item of a place in a pass, both counted from 0. */
  @FunctionalInterface
  interface MakingInPass<T> extends Serializable {
    T item(int pass, int index) throws Throwable;
  }

  /** Says how many items a pass has. */
  @FunctionalInterface
  interface Length extends Serializable {
    int ofPass(int pass);
  }

  static <T> WorkerSource<T> counting(int count, Making<T> making) {
    return passes(_ -> count, (_, index) -> making.item(index));
  }

  static <T> WorkerSource<T> passes(Length length, MakingInPass<T> making) {
    return _ -> new CountedPasses<>(length, making);
  }

  /** Maps of pass, unit and a payload stamped by both. */
  static WorkerSource<Map<String, Object>> stamped(Length length, int bytes) {
    return passes(length, (pass, unit) -> item(pass, unit, bytes));
  }

  static WorkerSource<Map<String, Object>> stamped(int count) {
    return stamped(_ -> count, PAYLOAD_BYTES);
  }

  static Map<String, Object> item(int pass, int unit, int bytes) {
    byte[] payload = Stamps.payload(bytes, unit, pass).toArray(ValueLayout.JAVA_BYTE);
    return Map.of("pass", pass, "unit", unit, "payload", ByteBuffer.wrap(payload));
  }

  static void verify(Map<String, Object> item, int pass, int unit) {
    if (!item.get("pass").equals(pass) || !item.get("unit").equals(unit)) {
      throw new AssertionError(
          "expected pass "
              + pass
              + " unit "
              + unit
              + ", found "
              + item.get("pass")
              + " "
              + item.get("unit"));
    }
    Stamps.verify(MemorySegment.ofBuffer((ByteBuffer) item.get("payload")), unit, pass);
  }

  static SharedMemoryArena pool(int count, Duration acquireTimeout) {
    return SharedMemorySegmentPool.builder(Feeds.PAYLOAD_BYTES, count)
        .acquireTimeout(acquireTimeout)
        .build();
  }

  static SharedMemoryArena ring(int payloads, Duration acquireTimeout) {
    return SharedMemoryRingBuffer.builder((long) payloads * PAYLOAD_BYTES)
        .acquireTimeout(acquireTimeout)
        .build();
  }

  /**
   * Options with a pool of eight segments or without an arena; the worker's words are not shown.
   */
  static SubprocessOptions.Builder options(boolean withArena) {
    SubprocessOptions.Builder options =
        SubprocessOptions.builder()
            .jvmArgs(ChildJvm.SHORT_LIVED)
            .standardOutput(WorkerOutput.discard())
            .standardError(WorkerOutput.discard());
    return withArena ? options.arena(pool(8, LONG)) : options;
  }

  /** Closes early what the end of a block closes once more. */
  static void close(SubprocessIterable<?> items) {
    items.close();
  }

  static <T> List<T> all(Iterable<T> items) {
    List<T> list = new ArrayList<>();
    items.forEach(list::add);
    return list;
  }

  /** Throws anything, checked or not. */
  @SuppressWarnings("unchecked")
  static <E extends Throwable> RuntimeException sneak(Throwable thrown) throws E {
    throw (E) thrown;
  }

  /** Counts its passes and makes each item when it is asked for. */
  private static final class CountedPasses<T> implements Iterable<T> {
    private final Length length;
    private final MakingInPass<T> making;
    private int passes;

    CountedPasses(Length length, MakingInPass<T> making) {
      this.length = length;
      this.making = making;
    }

    @Override
    public Iterator<T> iterator() {
      int pass = passes++;
      int count = length.ofPass(pass);
      return new Iterator<>() {
        private int next;

        @Override
        public boolean hasNext() {
          return next < count;
        }

        @Override
        public T next() {
          try {
            return making.item(pass, next++);
          } catch (Throwable e) {
            throw Feeds.<RuntimeException>sneak(e);
          }
        }
      };
    }
  }
}
