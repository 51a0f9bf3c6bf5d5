package dev.holdfast.acceptance.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.SharedMemoryRingBuffer;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.SubprocessOptions;
import dev.holdfast.loader.WorkerDiedException;
import dev.holdfast.loader.WorkerOutput;
import dev.holdfast.loader.WorkerSource;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Stamps;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Iterator;
import java.util.Map;
import java.util.function.IntFunction;

/** Sources, options and checks of the tests of this package. */
final class Workers {
  /** An odd size, large enough for the point in the middle of a copy. */
  static final int PAYLOAD_BYTES = (128 << 10) + 5;

  /** Longer than any test. */
  static final Duration FOR_EVER = Duration.ofHours(1);

  private Workers() {}

  /** Options of a worker that starts fast and whose outputs go nowhere. */
  static SubprocessOptions.Builder options() {
    return SubprocessOptions.builder()
        .jvmArgs(ChildJvm.SHORT_LIVED, "-XX:+UseSerialGC", "-Xmx128m")
        .startTimeout(Duration.ofMinutes(3))
        .standardOutput(WorkerOutput.discard())
        .standardError(WorkerOutput.discard());
  }

  /** A pool for payloads of {@link #PAYLOAD_BYTES}, whose writer waits as long as it takes. */
  static SharedMemorySegmentPool pool(int count) {
    return SharedMemorySegmentPool.builder(PAYLOAD_BYTES, count).acquireTimeout(FOR_EVER).build();
  }

  /**
   * A ring for so many payloads of {@link #PAYLOAD_BYTES}, whose writer waits as long as it takes.
   */
  static SharedMemoryRingBuffer ring(int payloads) {
    return SharedMemoryRingBuffer.builder((long) payloads * PAYLOAD_BYTES)
        .acquireTimeout(FOR_EVER)
        .build();
  }

  /** Options with a pool of some segments, or without an arena. */
  static SubprocessOptions.Builder options(boolean arena, int segments) {
    SubprocessOptions.Builder options = options();
    return arena ? options.arena(pool(segments)) : options;
  }

  /** An iterable over what a function makes of 0 to count - 1, a new pass each time. */
  static <T> Iterable<T> counting(int count, IntFunction<T> item) {
    return () ->
        new Iterator<>() {
          private int next;

          @Override
          public boolean hasNext() {
            return next < count;
          }

          @Override
          public T next() {
            return item.apply(next++);
          }
        };
  }

  /** Items with a number and a payload that carries it in every word. */
  static WorkerSource<Map<String, Object>> stamped(int count) {
    return _ -> counting(count, Workers::stampedItem);
  }

  static Map<String, Object> stampedItem(int index) {
    return stampedItem(index, PAYLOAD_BYTES);
  }

  static Map<String, Object> stampedItem(int index, int bytes) {
    byte[] payload = Stamps.payload(bytes, index, 0).toArray(ValueLayout.JAVA_BYTE);
    return Map.of("index", index, "payload", ByteBuffer.wrap(payload));
  }

  /** Checks that an item is whole and has its number. */
  static void verify(int expected, Map<String, Object> item) {
    assertEquals(expected, item.get("index"));
    Stamps.verify(MemorySegment.ofBuffer((ByteBuffer) item.get("payload")), expected, 0);
  }

  /** Checks that the error of a dead worker is due, again and again, in old and new passes. */
  static void verifyDead(
      SubprocessIterable<?> items, Iterator<?> iterator, WorkerDiedException died) {
    assertEquals(items.pid(), died.facts().get("pid"));
    for (int i = 0; i < 3; i++) {
      assertTrue(iterator.hasNext());
      assertSame(died, assertThrows(WorkerDiedException.class, iterator::next));
    }
    Iterator<?> another = items.iterator();
    assertTrue(another.hasNext());
    assertSame(died, assertThrows(WorkerDiedException.class, another::next));
    assertThrows(IllegalStateException.class, iterator::next);
  }

  /** Closes an iterable and checks that its worker has gone in time. */
  static void close(SubprocessIterable<?> items) {
    long begin = System.nanoTime();
    items.close();
    Promise.ends("a worker that was closed", items.pid(), Promise.CLOSED, begin);
  }
}
