package dev.holdfast.loader.internal.region;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.ArenaReader;
import dev.holdfast.arena.ArenaWriter;
import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.arena.SharedMemoryRingBuffer;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.arena.UnitReceipt;
import dev.holdfast.loader.internal.parent.PassState;
import dev.holdfast.loader.internal.pipeline.Cell;
import dev.holdfast.loader.internal.pipeline.Content;
import dev.holdfast.loader.internal.pipeline.Epochs;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which worker counts as hanging, and which one is excused. */
final class SilenceTest {
  private static final Duration LIMIT = Duration.ofMillis(30);

  private final LaneBook book = new LaneBook(new Epochs(), true, 1, () -> {});
  private final SendWait sendWait = new SendWait();

  private Silence silence(@Nullable SharedMemoryArena output) {
    return new Silence(book, sendWait, Optional.of(LIMIT), output);
  }

  private void giveInput() {
    Input input = new Input(1, new Cell.Item(1, 1, new Content.Value(1), List.of()));
    book.add(input);
    book.open(input, () -> new PassState(1));
    book.arrived(input);
  }

  private static void letTheLimitPass() {
    long start = System.nanoTime();
    while (System.nanoTime() - start <= LIMIT.toNanos()) {
      Thread.onSpinWait();
    }
  }

  // B201
  @Test
  void workerThatHasNothingToDoIsNotSilentAndOneThatOwesAnAnswerIs() {
    Silence silence = silence(null);
    letTheLimitPass();
    assertFalse(silence.isTooLong(), "it has no input");
    giveInput();
    letTheLimitPass();
    assertTrue(silence.isTooLong());
    silence.broken();
    assertEquals(0, sendWait.nanos());
    letTheLimitPass();
    assertTrue(silence.isTooLong());
  }

  @Test
  void workerThatTakesNoInputIsSilentAlthoughItOwesNothing() {
    Silence silence = silence(null);
    sendWait.goesOn(64);
    letTheLimitPass();
    sendWait.goesOn(64);
    assertTrue(silence.isTooLong());
    sendWait.over();
    assertFalse(silence.isTooLong());
  }

  @Test
  void whatTheWorkerReadsBeginsTheTimeAnew() {
    sendWait.goesOn(64);
    letTheLimitPass();
    long before = System.nanoTime();
    sendWait.goesOn(128);
    long nanos = sendWait.nanos();
    assertTrue(System.nanoTime() - nanos >= before, "it has read something");
  }

  @Test
  void workerThatWaitsForSpaceThatIsKeptHereIsExcusedUntilALimitAfterItCame() throws Exception {
    for (boolean ring : new boolean[] {false, true}) {
      try (SharedMemoryArena arena =
              ring ? new SharedMemoryRingBuffer(1 << 16) : new SharedMemorySegmentPool(4096, 2);
          ArenaWriter writer = arena.openWriter();
          ArenaReader reader = arena.openReader()) {
        Silence silence = silence(arena);
        giveInput();
        UnitReceipt first = admitted(writer, reader);
        letTheLimitPass();
        assertEquals(
            !ring, silence.isTooLong(), "a pool has another segment, a ring does not tell");
        UnitReceipt second = admitted(writer, reader);
        letTheLimitPass();
        assertFalse(silence.isTooLong(), "it may be waiting for space");
        letTheLimitPass();
        reader.discard(first);
        reader.discard(second);
        assertFalse(silence.isTooLong(), "space came a moment ago");
        letTheLimitPass();
        assertTrue(silence.isTooLong());
        arena.unlink();
      }
    }
  }

  private static UnitReceipt admitted(ArenaWriter writer, ArenaReader reader) {
    writer.beginUnit();
    var _ = writer.writeBinary(MemorySegment.ofArray(new byte[100]));
    UnitReceipt receipt = writer.commitUnit();
    reader.admit(receipt);
    return receipt;
  }
}
