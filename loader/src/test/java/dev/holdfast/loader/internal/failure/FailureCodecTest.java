package dev.holdfast.loader.internal.failure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.HoldfastFailure;
import dev.holdfast.arena.UnitTooLargeException;
import dev.holdfast.loader.RemoteError;
import dev.holdfast.loader.WorkerDiedException;
import dev.holdfast.loader.WorkerFailedException;
import dev.holdfast.loader.WorkerTimeoutException;
import dev.holdfast.testkit.Rounds;
import dev.holdfast.testkit.Seeds;
import dev.holdfast.testkit.Tally;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

// R67
class FailureCodecTest {

  private static RemoteFailure cross(Throwable thrown) {
    return FailureCodec.decode(FailureCodec.encode(thrown));
  }

  @Test
  void classMessageStackCausesAndSuppressedCross() {
    Exception cause = new IllegalStateException("the cause");
    Exception thrown = new RuntimeException("outer", cause);
    thrown.addSuppressed(new ArithmeticException("aside"));
    RemoteError error = cross(thrown).error();
    assertEquals("java.lang.RuntimeException", error.className());
    assertEquals("outer", error.message());
    assertTrue(
        error.stackTrace().contains("Caused by: java.lang.IllegalStateException: the cause"));
    assertTrue(error.stackTrace().contains("Suppressed: java.lang.ArithmeticException: aside"));
    assertTrue(error.stackTrace().contains("FailureCodecTest"));
  }

  @Test
  void aMissingMessageIsNull() {
    assertEquals("null", cross(new Error()).error().message());
  }

  private static final class Hostile extends RuntimeException {
    private static final long serialVersionUID = 1L;

    @Override
    public String getMessage() {
      throw new UnsupportedOperationException("no message");
    }

    @Override
    public StackTraceElement[] getStackTrace() {
      throw new StackOverflowError();
    }

    @Override
    public synchronized Throwable getCause() {
      throw new IllegalStateException();
    }

    @Override
    public String toString() {
      throw new IllegalStateException();
    }
  }

  @Test
  void aThrowableThatThrowsIsStillDescribed() {
    RemoteError error = cross(new Hostile()).error();
    assertEquals(Hostile.class.getName(), error.className());
    assertEquals("message unavailable: java.lang.UnsupportedOperationException", error.message());
    assertTrue(error.stackTrace().contains("stack unavailable: java.lang.StackOverflowError"));
  }

  @Test
  void aCycleOfCausesEnds() {
    RuntimeException a = new RuntimeException("a");
    RuntimeException b = new RuntimeException("b", a);
    var _ = a.initCause(b);
    assertTrue(cross(a).error().stackTrace().contains("(seen above)"));
  }

  @Test
  void aChainOfAThousandCausesAndAHugeMessageAreCut() {
    Throwable chain = new Error("x".repeat(20 << 20));
    for (int i = 0; i < 1000; i++) {
      chain = new RuntimeException("level " + i, chain);
    }
    int limit = RemoteError.LIMIT_CHARS;
    RemoteError error = cross(chain).error();
    assertTrue(error.stackTrace().length() + error.message().length() <= limit);
    RemoteError huge = cross(new Error("y".repeat(20 << 20))).error();
    assertTrue(huge.stackTrace().length() + huge.message().length() <= limit);
    assertTrue(huge.message().endsWith("... cut"));
  }

  @Test
  void oneOfOursArrivesAsTheSameTypeWithTheSameFacts() {
    FailureDetail detail =
        FailureDetail.of("too large")
            .with("bytes", 5L)
            .with("count", 7)
            .with("ratio", 0.5)
            .with("name", "é…")
            .with("really", true)
            .advise("ask for less");
    RuntimeException made =
        cross(new UnitTooLargeException(detail))
            .toException("unused", more -> more.with("index", 3L));
    UnitTooLargeException same = assertInstanceOf(UnitTooLargeException.class, made);
    assertEquals(
        Map.of("bytes", 5L, "count", 7, "ratio", 0.5, "name", "é…", "really", true, "index", 3L),
        same.facts());
    assertEquals("ask for less", same.advice());
    assertInstanceOf(WorkerFailedException.class, same.getCause());
  }

  @Test
  void aForeignTypeArrivesAsAWorkerFailure() {
    RuntimeException made =
        cross(new ExceptionInInitializerError(new Error("why"))).toException("it failed", d -> d);
    WorkerFailedException failed = assertInstanceOf(WorkerFailedException.class, made);
    assertEquals("java.lang.ExceptionInInitializerError", failed.facts().get("remoteClass"));
    assertTrue(
        failed.remote().orElseThrow().stackTrace().contains("Caused by: java.lang.Error: why"));
  }

  @Test
  void aDamagedReportIsSaidToBeOne() {
    byte[] bytes = {0, 0, 1, 2, 3, 4, 5, 6, 7, 8};
    RemoteError error = FailureCodec.decode(MemorySegment.ofArray(bytes)).error();
    assertTrue(error.message().contains("cannot be read"), error.message());
  }

  /** Each fact costs a copy of those before it. */
  @Test
  void aReportOfMoreFactsThanAnyHasIsADamagedOne() {
    assertEquals("of", FailureCodec.decode(facts(64)).error().className());
    RemoteError error = FailureCodec.decode(facts(65)).error();
    assertTrue(error.message().contains("cannot be read"), error.message());
  }

  /** {@code -Dholdfast.seed} repeats a run. */
  // R74
  @Test
  void whateverIsChangedInAReportIsAnErrorWithATextAndAsksForLittleMemory() {
    long seed = Seeds.next();
    int rounds = Rounds.of(20_000);
    List<byte[]> right =
        List.of(report(WorkerDiedException::new), report(WorkerTimeoutException::new));
    int same = 0;
    int unreadable = 0;
    for (int round = 0; round < rounds; round++) {
      Random random = new Random(seed + round);
      byte[] changed = changed(right.get(round % right.size()), random);
      long before = allocatedBytes();
      RemoteFailure failure;
      RuntimeException made;
      try {
        failure = FailureCodec.decode(MemorySegment.ofArray(changed));
        made = failure.toException("it failed", more -> more.with("index", 3L));
        assertEquals(3L, assertInstanceOf(HoldfastFailure.class, made).facts().get("index"));
        assertFalse(made.getMessage().isEmpty());
      } catch (RuntimeException | Error e) {
        throw new AssertionError("-Dholdfast.seed=" + (seed + round), e);
      }
      long allocated = allocatedBytes() - before;
      assertTrue(allocated < 4L << 20, "-Dholdfast.seed=" + (seed + round) + ": " + allocated);
      same += made instanceof WorkerFailedException ? 0 : 1;
      unreadable += failure.error().message().contains("cannot be read") ? 1 : 0;
    }
    assertTrue(same > rounds / 10, "as the same type: " + same + " of " + rounds);
    assertTrue(unreadable > rounds / 10, "unreadable: " + unreadable + " of " + rounds);
    Tally.ROUNDS.add(rounds);
    Tally.MUTATIONS.add(rounds);
  }

  private static byte[] report(Function<FailureDetail, Throwable> maker) {
    FailureDetail detail =
        FailureDetail.of("it ended")
            .with("pid", 5L)
            .with("exit", 7)
            .with("ratio", 0.5)
            .with("signal", "SIGKILL")
            .with("really", true)
            .advise("look there");
    return FailureCodec.encode(maker.apply(detail)).toArray(ValueLayout.JAVA_BYTE);
  }

  private static byte[] changed(byte[] right, Random random) {
    byte[] changed = right.clone();
    for (int changes = 1 + random.nextInt(3); changes > 0; changes--) {
      int at = random.nextInt(changed.length);
      switch (random.nextInt(8)) {
        case 0, 1, 2 -> changed[at] ^= (byte) (1 << random.nextInt(8));
        case 3, 4 -> changed[at] = (byte) random.nextInt();
        case 5, 6 -> {
          int number = random.nextBoolean() ? random.nextInt() : random.nextInt(-2, 100_000);
          if (changed.length >= Integer.BYTES) {
            ByteBuffer.wrap(changed).putInt(Math.min(at, changed.length - Integer.BYTES), number);
          }
        }
        default -> changed = Arrays.copyOf(changed, 1 + at);
      }
    }
    return changed;
  }

  private static long allocatedBytes() {
    var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    return threads.getCurrentThreadAllocatedBytes();
  }

  private static MemorySegment facts(int count) {
    ByteBuffer bytes = ByteBuffer.allocate(1024);
    for (String text : List.of("of", "a worker", "")) {
      bytes.putInt(text.length()).put(text.getBytes(StandardCharsets.UTF_8));
    }
    bytes.put((byte) 1).putInt(0).putInt(0).putInt(count);
    for (int i = 0; i < count; i++) {
      bytes.putInt(1).put((byte) (' ' + i)).put((byte) 'b').put((byte) 1);
    }
    return MemorySegment.ofArray(Arrays.copyOf(bytes.array(), bytes.position()));
  }

  @Test
  void aThrowableWithoutAMessageIsSummedUpByItsNameAlone() {
    assertEquals("IllegalStateException", ThrowableText.summary(new IllegalStateException()));
    assertEquals(
        "IllegalStateException: why", ThrowableText.summary(new IllegalStateException("why")));
  }
}
