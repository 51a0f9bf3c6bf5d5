package dev.holdfast.acceptance.inplace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.AcquireTimeoutException;
import dev.holdfast.arena.ArenaReader;
import dev.holdfast.arena.ArenaWriter;
import dev.holdfast.arena.OpenUnit;
import dev.holdfast.arena.Placement;
import dev.holdfast.arena.SharedMemoryRingBuffer;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.arena.UnitLease;
import dev.holdfast.arena.UnitReceipt;
import dev.holdfast.arena.UnitTooLargeException;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.arena.payload.ElementType;
import dev.holdfast.arena.payload.EncodedItem;
import dev.holdfast.arena.payload.ItemCodec;
import dev.holdfast.arena.payload.RestoreMode;
import dev.holdfast.arena.payload.Tensor;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Maps;
import dev.holdfast.testkit.Stamps;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.nio.channels.Pipe;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Memory of the open unit that its producer fills where it is read, in one process. */
@ExtendWith(Leftovers.class)
@Timeout(300)
final class WriterMemoryTest {
  private static final int SEGMENT = 100_003;
  private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;

  private final SharedMemorySegmentPool pool =
      SharedMemorySegmentPool.builder(SEGMENT, 2).acquireTimeout(Duration.ofMillis(300)).build();
  private final ArenaWriter writer = pool.openWriter();
  private final ArenaReader reader = pool.openReader();

  @AfterEach
  void close() {
    writer.close();
    reader.close();
    pool.close();
    pool.unlink();
  }

  private MemorySegment allocate(long byteSize) {
    return writer.allocate(byteSize, 8, ViewScope.CONFINED);
  }

  private Placement placeOf(MemorySegment bytes) {
    return Objects.requireNonNull(writer.placementOf(bytes));
  }

  private void verify(UnitReceipt receipt, Placement place, long unit, long epoch) {
    reader.admit(receipt);
    OpenUnit open = reader.beginUnit(receipt, ViewScope.CONFINED);
    MemorySegment view = open.readBinary(place.offset(), place.byteSize());
    try (UnitLease _ = open.endUnit(List.of())) {
      Stamps.verify(view, unit, epoch);
    }
  }

  @Test
  void whatIsFilledIsReadThereThroughManyWraps() {
    assertTrue(writer.fillsInPlace());
    for (int unit = 0; unit < 20; unit++) {
      writer.beginUnit();
      MemorySegment first = allocate(1_001 + unit);
      MemorySegment second = allocate(50_000);
      Stamps.fill(first, unit, 1);
      Stamps.fill(second, unit, 2);
      Placement place = placeOf(unit % 2 == 0 ? first : second);
      assertEquals(0, first.address() % 64);
      assertEquals(0, second.address() % 64);
      verify(writer.commitUnit(), place, unit, unit % 2 == 0 ? 1 : 2);
    }
  }

  @Test
  void anotherMappingOfTheFileHasTheBytesBeforeTheCommitAndTheViewLiesThere() throws IOException {
    try (SecondMapping second = SecondMapping.of(pool.arenaId())) {
      writer.beginUnit();
      MemorySegment memory = allocate(70_000);
      Stamps.fill(memory, 7, 3);
      long offset = second.find(Stamps.word(7, 3, 0));
      assertTrue(offset > 0);
      Stamps.verify(second.slice(offset, 70_000), 7, 3);
      assertEquals(0, pool.stats().published());
      Placement place = placeOf(memory);
      UnitReceipt receipt = writer.commitUnit();
      second.slice(offset, 1).set(BYTE, 0, (byte) 99);
      reader.admit(receipt);
      OpenUnit open = reader.beginUnit(receipt, ViewScope.CONFINED);
      MemorySegment view = open.readBinary(place.offset(), place.byteSize());
      try (UnitLease _ = open.endUnit(List.of())) {
        assertEquals(99, view.get(BYTE, 0));
      }
    }
  }

  // R15
  @ParameterizedTest
  @EnumSource(
      value = ViewScope.class,
      names = {"CONFINED", "SHARED"})
  void everyAliasThrowsOnceTheUnitIsCommittedOrAborted(ViewScope scope) {
    for (boolean commit : new boolean[] {true, false}) {
      writer.beginUnit();
      MemorySegment memory = writer.allocate(9_000, 64, scope);
      MemorySegment slice = memory.asSlice(100, 50);
      ByteBuffer buffer = memory.asByteBuffer();
      FloatBuffer floats = buffer.asFloatBuffer();
      Tensor tensor = Tensor.of(ElementType.INT8, memory, 90, 100);
      Stamps.fill(memory, 1, 1);
      Placement place = placeOf(memory);
      if (commit) {
        UnitReceipt receipt = writer.commitUnit();
        assertEnded(memory, slice, buffer, floats, tensor);
        verify(receipt, place, 1, 1);
      } else {
        writer.abortUnit();
        assertEnded(memory, slice, buffer, floats, tensor);
      }
      assertNull(writer.placementOf(memory));
    }
  }

  private static void assertEnded(
      MemorySegment memory,
      MemorySegment slice,
      ByteBuffer buffer,
      FloatBuffer floats,
      Tensor tensor) {
    assertThrows(IllegalStateException.class, () -> memory.set(BYTE, 0, (byte) 1));
    assertThrows(IllegalStateException.class, () -> slice.fill((byte) 1));
    assertThrows(IllegalStateException.class, () -> buffer.put(0, (byte) 1));
    assertThrows(IllegalStateException.class, () -> floats.put(0, 1f));
    assertThrows(IllegalStateException.class, () -> tensor.get(0, 0));
  }

  // R28
  @Test
  void whatCanNeverFitIsRefusedAtOnceWithBothNumbersAndTheUnitGoesOn() {
    writer.beginUnit();
    UnitTooLargeException tooLarge =
        assertThrows(UnitTooLargeException.class, () -> allocate(SEGMENT + 1));
    assertEquals(SEGMENT + 1L, tooLarge.facts().get("bytesAsked"));
    assertEquals((long) SEGMENT, tooLarge.facts().get("segmentSize"));
    assertThrows(UnitTooLargeException.class, () -> allocate(Long.MAX_VALUE));
    MemorySegment most = allocate(99_968); // a multiple of 64, and 35 bytes are left
    MemorySegment last = allocate(SEGMENT - 99_968);
    assertThrows(UnitTooLargeException.class, () -> allocate(1)); // the gap of alignment alone
    Stamps.fill(most, 3, 1);
    Stamps.fill(last, 3, 2);
    Placement place = placeOf(last);
    verify(writer.commitUnit(), place, 3, 2);
  }

  @Test
  void argumentsAndOrderAreChecked() {
    assertThrows(IllegalStateException.class, () -> allocate(10));
    writer.beginUnit();
    assertThrows(IllegalArgumentException.class, () -> allocate(-1));
    assertThrows(IllegalArgumentException.class, () -> writer.allocate(10, 48, ViewScope.CONFINED));
    assertThrows(
        IllegalArgumentException.class, () -> writer.allocate(10, 8_192, ViewScope.CONFINED));
    assertThrows(IllegalArgumentException.class, () -> writer.allocate(10, 8, ViewScope.COLLECTED));
    assertEquals(0, writer.allocate(10, 4_096, ViewScope.SHARED).address() % 4_096);
    assertThrows(IllegalStateException.class, () -> writer.allocate(10, 8, ViewScope.CONFINED));
    assertEquals(0, writer.allocate(0, 8, ViewScope.SHARED).byteSize());
    writer.abortUnit();
    try (SharedMemoryRingBuffer ring = new SharedMemoryRingBuffer(10_000);
        ArenaWriter copying = ring.openWriter()) {
      assertFalse(copying.fillsInPlace());
      copying.beginUnit();
      assertThrows(
          UnsupportedOperationException.class, () -> copying.allocate(10, 8, ViewScope.CONFINED));
      assertNull(copying.placementOf(MemorySegment.ofArray(new byte[10])));
      ring.unlink();
    }
  }

  @Test
  @SuppressWarnings("restricted") // what users can do as well
  void whatReachesBeyondTheAllocatedBytesIsNoPartOfTheUnit() {
    writer.beginUnit();
    MemorySegment memory = allocate(5_000);
    assertEquals(5_000, placeOf(memory).byteSize());
    assertNull(writer.placementOf(memory.reinterpret(5_001)));
    writer.abortUnit();
  }

  @Test
  void confinedMemoryBindsTheUnitToItsThread() throws Exception {
    writer.beginUnit();
    MemorySegment memory = allocate(5_000);
    Stamps.fill(memory, 1, 1);
    Placement place = placeOf(memory);
    FutureTask<Void> other =
        Deadlines.start(
            "other",
            () -> {
              assertThrows(WrongThreadException.class, () -> memory.set(BYTE, 0, (byte) 1));
              assertThrows(WrongThreadException.class, () -> allocate(10));
              assertThrows(WrongThreadException.class, writer::commitUnit);
              assertThrows(WrongThreadException.class, writer::abortUnit);
              assertThrows(WrongThreadException.class, writer::reset);
              assertThrows(WrongThreadException.class, writer::close);
              return null;
            });
    Deadlines.unwrapped(other);
    verify(writer.commitUnit(), place, 1, 1);
  }

  @Test
  void sharedMemoryIsFilledByManyThreads() throws Exception {
    writer.beginUnit();
    MemorySegment memory = writer.allocate(80_000, 64, ViewScope.SHARED);
    for (int part = 0; part < 4; part++) {
      MemorySegment own = memory.asSlice(part * 20_000L, 20_000);
      int stamp = part;
      Deadlines.result(
          Deadlines.start(
              "filler",
              () -> {
                Stamps.fill(own, 5, stamp);
                return null;
              }));
    }
    Placement third = placeOf(memory.asSlice(40_000, 20_000));
    assertEquals(40_000, third.offset());
    verify(writer.commitUnit(), third, 5, 2);
  }

  /** A thread that reads from a pipe into memory, which keeps the memory's scope from ending. */
  private static final class BlockedRead implements AutoCloseable {
    private final Pipe pipe = Pipe.open();
    private final FutureTask<Integer> reading;

    BlockedRead(MemorySegment target) throws IOException {
      ByteBuffer buffer = target.asByteBuffer();
      Thread[] thread = new Thread[1];
      reading =
          Deadlines.start(
              "blocked-read",
              () -> {
                thread[0] = Thread.currentThread();
                return pipe.source().read(buffer);
              });
      Deadlines.assertEventually(
          "it stands in the read",
          () ->
              thread[0] != null
                  && List.of(thread[0].getStackTrace()).toString().contains("IOUtil.read"));
    }

    void end() throws Exception {
      ByteBuffer bytes = ByteBuffer.wrap(new byte[] {42});
      assertEquals(1, pipe.sink().write(bytes));
      assertEquals(1, Deadlines.result(reading));
    }

    @Override
    public void close() throws IOException {
      pipe.sink().close();
      pipe.source().close();
    }
  }

  @Test
  void commitIsRefusedWhileAnotherThreadReadsIntoTheMemoryAndWorksLater() throws Exception {
    writer.beginUnit();
    MemorySegment memory = writer.allocate(6_000, 64, ViewScope.SHARED);
    Stamps.fill(memory, 9, 9);
    Placement rest = placeOf(memory.asSlice(1_000, 1));
    byte expected = memory.get(BYTE, 1_000);
    try (BlockedRead read = new BlockedRead(memory.asSlice(0, 8))) {
      assertThrows(IllegalStateException.class, writer::commitUnit);
      assertEquals(0, pool.stats().published());
      assertEquals(expected, memory.get(BYTE, 1_000));
      read.end();
    }
    UnitReceipt receipt = writer.commitUnit();
    assertEquals(1, pool.stats().published());
    reader.admit(receipt);
    OpenUnit open = reader.beginUnit(receipt, ViewScope.CONFINED);
    MemorySegment one = open.readBinary(rest.offset(), 1);
    MemorySegment filled = open.readBinary(rest.offset() - 1_000, 1);
    try (UnitLease _ = open.endUnit(List.of())) {
      assertEquals(expected, one.get(BYTE, 0));
      assertEquals(42, filled.get(BYTE, 0));
    }
  }

  @Test
  void segmentOfAnAbortedUnitIsNotWrittenAgainWhileSomebodyReadsIntoIt() throws Exception {
    writer.beginUnit();
    MemorySegment memory = writer.allocate(6_000, 64, ViewScope.SHARED);
    try (BlockedRead read = new BlockedRead(memory)) {
      writer.abortUnit();
      AcquireTimeoutException inUse =
          assertThrows(AcquireTimeoutException.class, writer::beginUnit);
      assertEquals("end of a native call or a channel operation", inUse.facts().get("waitedFor"));
      writer.close();
      assertThrows(IllegalStateException.class, pool::openWriter); // somebody could write there
      read.end();
    }
    ArenaWriter[] next = new ArenaWriter[1];
    Deadlines.assertEventually(
        "the right to write comes back",
        () -> {
          try {
            next[0] = pool.openWriter();
            return true;
          } catch (IllegalStateException e) {
            return false;
          }
        });
    try (ArenaWriter other = next[0]) {
      other.beginUnit();
      MemorySegment again = other.allocate(6_000, 64, ViewScope.CONFINED);
      Stamps.fill(again, 4, 4);
      Placement place = Objects.requireNonNull(other.placementOf(again));
      verify(other.commitUnit(), place, 4, 4);
    }
  }

  @Test
  void closingTheArenaLeavesTheMemoryMappedUntilItsUnitIsAborted() {
    int before = Maps.ofArenas().size();
    SharedMemorySegmentPool closed = new SharedMemorySegmentPool(10_000, 2);
    ArenaWriter own = closed.openWriter();
    own.beginUnit();
    MemorySegment memory = own.allocate(10_000, 64, ViewScope.CONFINED);
    closed.close();
    closed.unlink();
    Stamps.fill(memory, 1, 1);
    Stamps.verify(memory, 1, 1);
    assertEquals(before + 1, Maps.ofArenas().size());
    assertThrows(IllegalStateException.class, own::commitUnit);
    own.close();
    assertThrows(IllegalStateException.class, () -> memory.get(BYTE, 0));
    Deadlines.assertEventually("it is unmapped", () -> Maps.ofArenas().size() == before);
  }

  @Test
  void closeOfTheWriterEndsTheMemoryOfItsOpenUnitBeforeAnotherGetsTheSegment() {
    writer.beginUnit();
    MemorySegment memory = writer.allocate(9_000, 64, ViewScope.SHARED);
    Stamps.fill(memory, 1, 1);
    writer.close();
    try (ArenaWriter next = pool.openWriter()) {
      next.beginUnit();
      MemorySegment again = next.allocate(9_000, 64, ViewScope.CONFINED);
      Stamps.fill(again, 2, 2);
      assertThrows(IllegalStateException.class, () -> memory.set(BYTE, 0, (byte) 1));
      Placement place = Objects.requireNonNull(next.placementOf(again));
      verify(next.commitUnit(), place, 2, 2);
    }
  }

  /** What the codec makes of binaries that lie in the unit already. */
  @Test
  void codecCopiesNothingThatLiesInTheUnitWhateverItsSizeAndKind() throws Exception {
    ItemCodec.Encoder encoder = ItemCodec.standard().newEncoder();
    ItemCodec.Decoder decoder = ItemCodec.standard().newDecoder(null, getClass().getClassLoader());
    writer.beginUnit();
    MemorySegment memory = allocate(40_000);
    Stamps.fill(memory, 2, 2);
    Tensor rows = Tensor.of(ElementType.INT32, memory, 100, 100);
    long unitEnd = memory.byteSize();
    List<Object> item =
        List.of(
            rows,
            rows.slice(10, 12),
            rows.at(99),
            memory.asSlice(7, 1),
            memory.asReadOnly(),
            memory.asSlice(0, 8_000).asByteBuffer().slice(16, 100),
            memory.asSlice(4_000, 400).asByteBuffer().asFloatBuffer());
    EncodedItem encoded = encoder.encode(item, writer);
    assertEquals(7, encoded.binaries());
    byte[] record = encoded.bytes().toArray(BYTE);
    UnitReceipt receipt = writer.commitUnit();
    encoder.sent();
    assertEquals(unitEnd, receipt.span());

    reader.admit(receipt);
    OpenUnit open = reader.beginUnit(receipt, ViewScope.CONFINED);
    List<?> restored =
        (List<?>)
            decoder.restore(
                decoder.register(MemorySegment.ofArray(record)), open, RestoreMode.VIEWS);
    try (UnitLease _ = open.endUnit(List.of())) {
      MemorySegment whole = ((Tensor) restored.get(0)).segment();
      Stamps.verify(whole, 2, 2);
      long[] offsets = {0, 4_000, 39_600, 7, 0, 16, 4_000};
      for (int i = 0; i < offsets.length; i++) {
        MemorySegment part = bytes(restored.get(i));
        MemorySegment sent = whole.asSlice(offsets[i], part.byteSize());
        assertEquals(sent.address(), part.address(), "binary " + i);
      }
    }
  }

  private static MemorySegment bytes(Object leaf) {
    return switch (leaf) {
      case Tensor tensor -> tensor.segment();
      case MemorySegment segment -> segment;
      case Buffer buffer -> MemorySegment.ofBuffer(buffer);
      default -> throw new AssertionError(leaf.getClass());
    };
  }

  @Test
  void codecCopiesWhatLiesElsewhereBesideIt() throws Exception {
    ItemCodec.Encoder encoder = ItemCodec.standard().newEncoder();
    writer.beginUnit();
    MemorySegment memory = allocate(10_000);
    Tensor square = Tensor.of(ElementType.INT8, memory, 100, 100);
    Tensor transposed =
        Tensor.strided(ElementType.INT8, memory, 0, new long[] {100, 100}, new long[] {1, 100});
    EncodedItem encoded =
        encoder.encode(
            List.of(square, transposed, new byte[5_000], new byte[10], memory.asSlice(0, 0)),
            writer);
    assertEquals(3, encoded.binaries());
    UnitReceipt receipt = writer.commitUnit();
    encoder.sent();
    assertEquals(20_096 + 5_000, receipt.span()); // two of 10,048, then the array
    reader.admit(receipt);
    reader.discard(receipt);
  }

  @Test
  void memoryOfAnEarlierUnitIsRefusedByTheCodec() {
    ItemCodec.Encoder encoder = ItemCodec.standard().newEncoder();
    writer.beginUnit();
    MemorySegment memory = allocate(10_000);
    writer.abortUnit();
    writer.beginUnit();
    IOException refused = assertThrows(IOException.class, () -> encoder.encode(memory, writer));
    assertTrue(refused.getMessage().contains("ended before it was sent"), refused::getMessage);
    writer.abortUnit();
  }
}
