package dev.holdfast.loader.internal.failure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.UnitTooLargeException;
import dev.holdfast.loader.RemoteError;
import dev.holdfast.loader.WorkerFailedException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
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
