package dev.holdfast.loader.internal.region;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.ArenaCorruptedException;
import dev.holdfast.arena.ArenaReader;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.arena.UnitReceipt;
import dev.holdfast.arena.internal.memory.HeapWords;
import dev.holdfast.arena.payload.ItemCodec;
import dev.holdfast.loader.internal.channel.Channel;
import dev.holdfast.loader.internal.channel.ChannelLayout;
import dev.holdfast.loader.internal.channel.ChannelSender;
import dev.holdfast.loader.internal.channel.MessageKind;
import dev.holdfast.loader.internal.channel.Presence;
import dev.holdfast.loader.internal.pipeline.Cell;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** One thread plays the parent, which sends, and the worker, which takes. */
final class InputInletTest {
  private static final long PASS = 7;
  private static final int UNKNOWN = 99;

  private final Channel channel =
      new Channel(
          "inputs",
          new HeapWords(ChannelLayout.WORDS_BYTES),
          0,
          MemorySegment.ofArray(new byte[4096]),
          Presence.ALWAYS);
  private final ChannelSender parent = new ChannelSender(channel, Long.MAX_VALUE);
  private final ItemCodec.Encoder encoder = ItemCodec.standard().newEncoder();

  /** Returns what takes the inputs of a pass, and never waits. */
  private InputInlet inlet(@Nullable ArenaReader reader) {
    InputInlet inlet =
        new InputInlet(
            channel,
            reader,
            ItemCodec.standard().newDecoder(null, ClassLoader.getSystemClassLoader()));
    inlet.begin(
        PASS,
        () -> {
          throw new AssertionError("nothing has come");
        });
    return inlet;
  }

  private void send(int kind, long pass, long number, byte... body) {
    parent.send(kind, pass, number, MemorySegment.ofArray(body), () -> {});
  }

  private void sendInput(long pass, long number, Object value) throws IOException {
    parent.send(MessageKind.INPUT, pass, number, encoder.encode(value, null).bytes(), () -> {});
    encoder.sent();
  }

  private static void assertInput(long number, Object value, Cell cell) {
    Cell.Item item = assertInstanceOf(Cell.Item.class, cell);
    assertEquals(PASS, item.epoch());
    assertEquals(number, item.index());
    assertEquals(value, item.content().plain());
  }

  @Test
  void inputsOfAPassAreTakenThoseOfOnesBeforeGivenBackAndLaterOnesKept() throws Exception {
    InputInlet inlet = inlet(null);
    sendInput(PASS - 1, 1, "of a pass that was left");
    send(MessageKind.INPUTS_END, PASS - 1, 0);
    sendInput(PASS, 2, "two");
    sendInput(PASS + 1, 3, "three");
    assertInput(2, "two", inlet.take());
    assertEquals(new Cell.End(PASS), inlet.take());
    assertEquals(new Cell.End(PASS), inlet.take());
    inlet.begin(PASS + 1, () -> {});
    Cell.Item later = assertInstanceOf(Cell.Item.class, inlet.take());
    assertEquals("three", later.content().plain());
    send(MessageKind.INPUTS_END, PASS + 1, 0);
    assertEquals(new Cell.End(PASS + 1), inlet.take());
  }

  @Test
  void messageOfAnUnknownKindIsFoundAndNotRead() {
    InputInlet inlet = inlet(null);
    send(UNKNOWN, PASS, 1, new byte[100]);
    ArenaCorruptedException broken = assertThrows(ArenaCorruptedException.class, inlet::take);
    assertEquals((long) UNKNOWN, broken.facts().get("kind"));
  }

  @Test
  void inputThatIsTooShortForItsReceiptIsFound() {
    try (SharedMemorySegmentPool pool = new SharedMemorySegmentPool(4096, 2)) {
      try (ArenaReader reader = pool.openReader()) {
        InputInlet inlet = inlet(reader);
        send(MessageKind.UNIT_INPUT, PASS, 1, new byte[UnitReceipt.BYTES - 1]);
        ArenaCorruptedException broken = assertThrows(ArenaCorruptedException.class, inlet::take);
        assertEquals(UnitReceipt.BYTES - 1L, broken.facts().get("bytes"));
      }
      pool.unlink();
    }
  }

  @Test
  void inputWithAUnitIsFoundWhereThereIsNoArena() {
    InputInlet inlet = inlet(null);
    send(MessageKind.UNIT_INPUT, PASS, 1, new byte[2 * UnitReceipt.BYTES]);
    ArenaCorruptedException broken = assertThrows(ArenaCorruptedException.class, inlet::take);
    assertTrue(broken.getMessage().contains("no arena"), broken::getMessage);
  }
}
