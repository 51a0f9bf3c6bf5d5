package dev.holdfast.arena.payload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.InvalidObjectException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource(Envelopes.class)
class PayloadHandlersTest {
  private final Envelopes envelopes;

  PayloadHandlersTest(Envelopes envelopes) {
    this.envelopes = envelopes;
  }

  /** Claims arrays of bytes whose first byte is 1. */
  private record Tagged(String kind) implements PayloadHandler<byte[]> {
    @Override
    public Class<byte[]> type() {
      return byte[].class;
    }

    @Override
    public boolean matches(byte[] candidate) {
      return candidate.length > 0 && candidate[0] == 1;
    }

    @Override
    public MemorySegment bytes(byte[] payload) {
      return MemorySegment.ofArray(payload);
    }

    @Override
    public byte[] restoreView(MemorySegment view, byte[] meta) {
      return new byte[] {1, 1};
    }

    @Override
    public byte[] restoreCopy(MemorySegment bytes, byte[] meta, boolean writable) {
      return new byte[] {1, 1};
    }
  }

  // B79, B90
  @Test
  void handlersOfTheUserAreAskedFirstAndTheFirstMatchWins() throws Exception {
    PayloadHandler<byte[]> mine = new Tagged("mine");
    PayloadHandlers handlers = PayloadHandlers.standard().with(mine, new Tagged("second"));
    assertSame(mine, handlers.claiming(new byte[] {1}));
    assertEquals("byte[]", handlers.claiming(new byte[] {2}).kind());
    assertEquals(List.of("mine", "second", "byte[]"), kinds(handlers).subList(0, 3));
    ItemCodec codec = ItemCodec.of(handlers, envelopes.codec());
    Object restored = Channels.roundTrip(codec, new byte[] {1, 2, 3}, RestoreMode.VIEWS);
    assertEquals(2, assertInstanceOf(byte[].class, restored).length);
  }

  private static List<String> kinds(PayloadHandlers handlers) {
    return handlers.handlers().stream().<String>map(PayloadHandler::kind).toList();
  }

  // B78
  @Test
  void aKindIsGivenOnceAndIsAName() {
    PayloadHandlers standard = PayloadHandlers.standard();
    Tagged taken = new Tagged("byte[]");
    Tagged blank = new Tagged("");
    Tagged spaced = new Tagged("a b");
    Tagged once = new Tagged("x");
    assertThrows(IllegalArgumentException.class, () -> standard.with(taken));
    assertThrows(IllegalArgumentException.class, () -> standard.with(blank));
    assertThrows(IllegalArgumentException.class, () -> standard.with(spaced));
    assertThrows(IllegalArgumentException.class, () -> standard.with(once, once));
    assertSame(once, standard.with(once).ofKind("x"));
    assertNull(standard.ofKind("x"));
  }

  // B69, B80
  @Test
  void stringsAndForeignObjectsAreNotClaimed() {
    PayloadHandlers handlers = PayloadHandlers.standard();
    assertNull(handlers.claiming("x".repeat(10_000)));
    assertNull(handlers.claiming(new Object()));
    assertNull(handlers.claiming(new int[0][0]));
    assertNull(handlers.claiming(List.of()));
  }

  // B73
  @Test
  void aKindThatOnlyTheOtherSideKnowsIsAnError() throws Exception {
    ItemCodec sending =
        ItemCodec.of(PayloadHandlers.standard().with(new Tagged("mine")), envelopes.codec());
    ItemCodec.Decoder decoder = envelopes.items().newDecoder(null, Channels.loader());
    byte[] record = Channels.bytes(sending.newEncoder().encode(new byte[] {1}, null));
    Envelope envelope = decoder.register(record);
    InvalidObjectException e =
        assertThrows(
            InvalidObjectException.class, () -> decoder.restore(envelope, null, RestoreMode.VIEWS));
    assertTrue(e.getMessage().contains("kind=mine"));
  }
}
