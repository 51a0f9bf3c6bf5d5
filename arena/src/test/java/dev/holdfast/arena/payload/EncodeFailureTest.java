package dev.holdfast.arena.payload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.AcquireTimeoutException;
import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.payload.Samples.Anything;
import dev.holdfast.arena.payload.Samples.Failing;
import dev.holdfast.arena.payload.Samples.Maker;
import dev.holdfast.arena.payload.Samples.Packet;
import dev.holdfast.arena.payload.Samples.Unreadable;
import java.io.IOException;
import java.io.InvalidObjectException;
import java.io.NotSerializableException;
import java.io.Serial;
import java.io.Serializable;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource(Envelopes.class)
class EncodeFailureTest {
  private static final RestoreMode VIEWS = RestoreMode.VIEWS;

  private final PayloadHandlers handlers =
      PayloadHandlers.standard().with(new Samples.PacketHandler());
  private final ItemCodec codec;
  private final ItemCodec.Encoder encoder;
  private final ItemCodec.Decoder decoder;

  EncodeFailureTest(Envelopes envelopes) {
    codec = ItemCodec.of(handlers, envelopes.codec());
    encoder = codec.newEncoder();
    decoder = codec.newDecoder(null, Channels.loader());
  }

  private static final class Holder implements Serializable {
    @Serial private static final long serialVersionUID = 1L;

    @SuppressWarnings({"serial", "UnusedVariable"}) // serialization reads it
    private final Object target;

    Holder(Object target) {
      this.target = target;
    }
  }

  /** Stands for a class whose text must not be asked for. */
  private static final class Silent {
    @Override
    public String toString() {
      throw new AssertionError("toString was called");
    }
  }

  private String messageOf(Class<? extends IOException> type, Object item) throws Exception {
    FakeUnit unit = new FakeUnit(64 << 10);
    IOException e = assertThrows(type, () -> encoder.encode(item, unit));
    assertNotNull(e.getCause());
    worksAgain();
    return e.getMessage();
  }

  private void worksAgain() throws Exception {
    for (Object next : List.of(7, new Anything(new byte[5000]))) {
      FakeUnit unit = new FakeUnit(64 << 10);
      Envelope envelope = decoder.register(encoder.encode(next, unit).bytes());
      encoder.sent();
      assertSame(next.getClass(), decoder.restore(envelope, unit, VIEWS).getClass());
    }
  }

  private void hasPath(String path, Object item, Class<?> offender) throws Exception {
    String message = messageOf(NotSerializableException.class, item);
    assertTrue(message.contains("path=" + path + ";"), message);
    assertTrue(message.contains("class=" + offender.getName() + " "), message);
  }

  // B70, R68
  @Test
  void theErrorNamesClassAndPathOfWhatCannotCross() throws Exception {
    Thread thread = new Thread(() -> {});
    Holder holder = new Holder(thread);
    hasPath("item", thread, Thread.class);
    hasPath("item.target", holder, Thread.class);
    hasPath("item.value[\"thread\"].target", new Anything(Map.of("thread", holder)), Thread.class);
    hasPath("item[2]", Arrays.asList(1, "x", thread), Thread.class);
    hasPath("item[1][0]", new Object[] {1, new Object[] {thread}}, Thread.class);
    hasPath("item[5].value", new HashMap<>(Map.of(5, new Anything(thread))), Thread.class);
    hasPath("item[\"a\\\"b\"]", new TreeMap<>(Map.of("a\"b", new Silent())), Silent.class);
    hasPath("item.key[0].value", Map.of(new Anything(thread), 1), Thread.class);
    hasPath("item[0].value", List.of(new Anything(new Silent()), "x"), Silent.class);
  }

  @Test
  void thePathLeadsThroughLambdas() throws Exception {
    Object silent = new Silent();
    Maker<Object> maker = () -> silent;
    hasPath("item.value.capturedArgument[0]", new Anything(maker), Silent.class);
    Runnable plain = () -> {};
    String message = messageOf(NotSerializableException.class, List.of(plain));
    assertTrue(
        message.contains("class=lambda in " + EncodeFailureTest.class.getName() + " path=item[0]"),
        message);
  }

  @Test
  void thePathLeadsRoundCyclesAndIsCut() throws Exception {
    List<Object> cycle = new ArrayList<>();
    cycle.add(cycle);
    cycle.add(new Silent());
    hasPath("item[1]", cycle, Silent.class);
    Object deep = new Silent();
    for (int i = 0; i < 300; i++) {
      deep = new ArrayList<>(List.of(deep));
    }
    String message = messageOf(NotSerializableException.class, deep);
    assertTrue(message.contains("path=item[0][0]") && message.contains("..."), message);
    assertTrue(message.length() < 500, message);
  }

  // R68
  @Test
  void whatUserCodeThrowsIsTheCauseAndHasAPath() throws Exception {
    FakeUnit unit = new FakeUnit(64 << 10);
    for (Throwable planned :
        List.of(
            new IllegalStateException("planned"),
            new IOException("planned"),
            new AssertionError("planned"),
            new NoClassDefFoundError("planned"))) {
      Object item = List.of(new byte[5000], new Anything(new Failing(planned)));
      InvalidObjectException e =
          assertThrows(InvalidObjectException.class, () -> encoder.encode(item, unit));
      assertSame(planned, e.getCause());
      assertTrue(e.getMessage().contains("path=item[1].value "), e.getMessage());
      assertTrue(e.getMessage().contains("message=planned"), e.getMessage());
      worksAgain();
    }
  }

  @Test
  void anExceptionWithoutAMessageIsReportedToo() throws Exception {
    RuntimeException odd =
        new RuntimeException() {
          @Serial private static final long serialVersionUID = 1L;

          @Override
          public String getMessage() {
            throw new IllegalStateException("no message");
          }
        };
    String message = messageOf(InvalidObjectException.class, new Failing(odd));
    assertTrue(message.contains("message=unavailable"), message);
  }

  @Test
  void anItemThatNestsTooDeeplyIsAnError() throws Exception {
    Object deep = new Object[0];
    for (int i = 0; i < 200_000; i++) {
      deep = new Object[] {deep};
    }
    String message = messageOf(InvalidObjectException.class, deep);
    assertTrue(message.contains("nests too deeply"), message);
  }

  @Test
  void anEndOfMemoryIsNotTheItemsFault() throws Exception {
    OutOfMemoryError planned = new OutOfMemoryError("planned");
    assertSame(
        planned,
        assertThrows(OutOfMemoryError.class, () -> encoder.encode(new Failing(planned), null)));
    worksAgain();
  }

  // B70
  @Test
  void failuresOfTheArenaComeAsTheyAre() throws Exception {
    FakeUnit unit = new FakeUnit(64 << 10);
    for (RuntimeException planned :
        List.of(
            new AcquireTimeoutException(FailureDetail.of("planned")),
            new IllegalStateException("planned"))) {
      unit.failure = planned;
      RuntimeException thrown =
          assertThrows(RuntimeException.class, () -> encoder.encode(List.of(new byte[5000]), unit));
      assertSame(planned, thrown);
      worksAgain();
    }
  }

  // B70
  @Test
  void failuresOfAHandlerHaveAPath() throws Exception {
    String message = messageOf(InvalidObjectException.class, List.of(1, new Packet("", null)));
    assertTrue(message.contains("path=item[1] "), message);
    MemorySegment ended;
    try (Arena arena = Arena.ofConfined()) {
      ended = arena.allocate(5000);
    }
    String closed = messageOf(InvalidObjectException.class, Map.of("k", ended));
    assertTrue(closed.contains("item[\"k\"]"), closed);
  }

  @Test
  void descriptorsOfAFailedItemAreSentAgain() throws Exception {
    assertThrows(
        NotSerializableException.class,
        () -> encoder.encode(List.of(Samples.Colour.RED, new Silent()), null));
    Envelope envelope = decoder.register(encoder.encode(Samples.Colour.RED, null).bytes());
    assertEquals(Samples.Colour.RED, decoder.restore(envelope, null, VIEWS));
  }

  @Test
  void whatUserCodeThrowsOnReadingFailsItsItemAlone() throws Exception {
    Envelope envelope = decoder.register(encoder.encode(new Unreadable(), null).bytes());
    encoder.sent();
    InvalidObjectException e =
        assertThrows(InvalidObjectException.class, () -> decoder.restore(envelope, null, VIEWS));
    assertEquals("planned", e.getCause().getMessage());
    worksAgain();
  }

  // R69
  @Test
  void sourcesAreExplainedBeforeAnythingStarts() {
    Silent silent = new Silent();
    Maker<Object> captures = () -> silent;
    Maker<Object> receiver = this::worksAgainQuietly;
    Maker<Object> anonymous =
        new Maker<>() {
          @Serial private static final long serialVersionUID = 1L;

          @Override
          public Object get() {
            return EncodeFailureTest.this.codec;
          }
        };
    explains(captures, "path=source.capturedArgument[0];");
    explains(receiver, "path=source.capturedArgument[0];");
    explains(anonymous, "path=source.this$0;");
    explains(new Anything(silent), "path=source.value;");
    explains(silent, "path=source;");
    assertNull(SerializationPaths.explain(new Anything(List.of(1, Samples.Colour.RED))));
  }

  private Object worksAgainQuietly() {
    return codec;
  }

  private static void explains(Object source, String path) {
    String text = SerializationPaths.explain(source);
    assertNotNull(text);
    assertTrue(text.contains(path), text);
  }
}
