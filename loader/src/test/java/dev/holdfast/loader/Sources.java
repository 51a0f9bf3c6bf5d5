package dev.holdfast.loader;

import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Stamps;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.Map;
import java.util.function.IntFunction;

/** Sources of the tests, and how their workers are started. */
final class Sources {
  static final int PAYLOAD_BYTES = 5001;

  private Sources() {}

  /** Options of a worker that lives shortly. */
  static SubprocessOptions.Builder options() {
    return SubprocessOptions.builder().jvmArgs(ChildJvm.SHORT_LIVED);
  }

  static <T> SubprocessIterable<T> iterate(WorkerSource<T> source) {
    return Subprocess.iterate(source, options().build());
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

  static WorkerSource<Integer> numbers(int count) {
    return _ -> counting(count, i -> i);
  }

  /** Maps of an index and a stamped payload that goes to the arena. */
  static WorkerSource<Map<String, Object>> stamped(int count) {
    return _ -> counting(count, Sources::stampedItem);
  }

  static Map<String, Object> stampedItem(int index) {
    MemorySegment payload = Stamps.payload(PAYLOAD_BYTES, index, 0);
    byte[] bytes = payload.toArray(java.lang.foreign.ValueLayout.JAVA_BYTE);
    return Map.of("index", index, "payload", ByteBuffer.wrap(bytes));
  }

  /** Checks an item of {@link #stamped} and returns its index. */
  static int verified(Map<String, Object> item) {
    int index = (Integer) item.get("index");
    Stamps.verify(MemorySegment.ofBuffer((ByteBuffer) item.get("payload")), index, 0);
    return index;
  }
}
