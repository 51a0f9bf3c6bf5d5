package dev.holdfast.arena.internal.output;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.PagePinner;
import dev.holdfast.arena.PinningException;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Maps;
import dev.holdfast.testkit.Rounds;
import dev.holdfast.testkit.Stamps;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(Leftovers.class)
final class OutputAllocatorTest {
  private static final long MIB = 1 << 20;
  private static final UUID ARENA = UUID.randomUUID();

  private final OutputAllocator allocator = new OutputAllocator(16 * MIB, () -> {});

  @AfterEach
  void close() {
    allocator.close();
    assertEquals(0, allocator.figures().retainedBytes());
  }

  private Output output(long byteSize) {
    return allocator.output(ARENA, 7, byteSize);
  }

  private long fresh() {
    return allocator.figures().freshBytes();
  }

  private long retained() {
    return allocator.figures().retainedBytes();
  }

  @Test
  void bufferIsUsedAgainAfterItsLastOwner() {
    Output first = output(4 * MIB);
    long address = first.place(4 * MIB).address();
    assertTrue(first.retain());
    first.retire();
    assertEquals(0, retained());
    first.retire();
    assertEquals(4 * MIB, retained());
    Output second = output(4 * MIB);
    assertEquals(address, second.place(4 * MIB).address());
    assertEquals(4 * MIB, fresh());
    assertEquals(4 * MIB, allocator.figures().recycledBytes());
    second.retire();
  }

  @Test
  void idleBytesStayWithinTheLimitAndTheOldestGoFirst() {
    List<Output> outputs = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      outputs.add(output(4 * MIB));
    }
    assertEquals(40 * MIB, fresh());
    outputs.forEach(Output::retire);
    assertEquals(16 * MIB, retained());
    output(8 * MIB).retire();
    assertEquals(16 * MIB, retained());
    assertEquals(48 * MIB, fresh());
    output(8 * MIB).retire();
    assertEquals(48 * MIB, fresh());
  }

  @Test
  void bufferLargerThanTheLimitIsNotKept() {
    output(4 * MIB).retire();
    output(20 * MIB).retire();
    assertEquals(0, retained());
  }

  @Test
  void changeOfSizesDrainsTheFormerOnes() {
    for (long size : new long[] {4 * MIB, 5 * MIB, 7 * MIB}) {
      for (int pass = 0; pass < 3; pass++) {
        Output one = output(size);
        Output two = output(size);
        one.retire();
        two.retire();
        assertTrue(retained() <= 16 * MIB && retained() >= 2 * size, "retained " + retained());
      }
    }
    assertEquals(2 * (4 + 5 + 7) * MIB, fresh());
  }

  @Test
  void idleMemoryGoesWhenNoOutputIsMadeForAWhile() {
    Output kept = output(4 * MIB);
    output(8 * MIB).retire();
    allocator.trim(System.nanoTime() + 9_000_000_000L);
    assertEquals(8 * MIB, retained());
    allocator.trim(System.nanoTime() + 11_000_000_000L);
    assertEquals(0, retained());
    kept.retire();
    assertEquals(4 * MIB, retained());
    output(4 * MIB).retire();
    assertEquals(12 * MIB, fresh());
  }

  @Test
  void closedAllocatorKeepsNothing() {
    Output one = output(4 * MIB);
    output(1 * MIB).retire();
    allocator.close();
    assertEquals(0, retained());
    Stamps.fill(one.place(1000), 1, 1);
    Stamps.verify(one.bytes(), 1, 1);
    one.retire();
    assertEquals(0, retained());
  }

  @Test
  void manySmallOutputsShareFewMappings() {
    long before = Maps.of(ProcessHandle.current().pid()).size();
    List<Output> outputs = new ArrayList<>();
    for (int i = 0; i < 20_000; i++) {
      Output output = output(1 + i % 2000);
      Stamps.fill(output.place(1 + i % 2000), i, 1);
      outputs.add(output);
    }
    long mappings = Maps.of(ProcessHandle.current().pid()).size() - before;
    assertTrue(mappings < 200, "mappings: " + mappings);
    for (int i = 0; i < outputs.size(); i++) {
      Stamps.verify(outputs.get(i).bytes(), i, 1);
    }
    outputs.forEach(Output::retire);
    assertTrue(retained() <= 16 * MIB);
  }

  @Test
  void binariesBeginOn64BytesAndGapsShowNothingOfEarlierUnits() {
    Output dirty = output(4096);
    var _ = dirty.place(4096).fill((byte) 0xff);
    dirty.retire();
    Output output = output(4096);
    byte[] expected = new byte[64 * 3 + 5];
    for (int i = 0; i < 4; i++) {
      MemorySegment place = output.place(5);
      assertEquals(0, place.address() % 64);
      for (int k = 0; k < 5; k++) {
        place.set(ValueLayout.JAVA_BYTE, k, (byte) (i + 1));
        expected[64 * i + k] = (byte) (i + 1);
      }
    }
    assertArrayEquals(expected, output.bytes().toArray(ValueLayout.JAVA_BYTE));
    output.retire();
  }

  @Test
  void outputThatOutgrowsItsBufferKeepsTheEarlierOneAndHasAllInOne() {
    Output output = output(100);
    List<MemorySegment> places = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      MemorySegment place = output.place(90);
      Stamps.fill(place, i, 2);
      places.add(place);
    }
    for (int i = 0; i < 500; i++) {
      Stamps.verify(places.get(i), i, 2);
      Stamps.verify(output.bytes().asSlice(128L * i, 90), i, 2);
    }
    output.retire();
    long fresh = fresh();
    Output again = output(100);
    for (int i = 0; i < 500; i++) {
      Stamps.fill(again.place(90), i, 3);
    }
    assertEquals(fresh, fresh());
    again.retire();
  }

  @Test
  void memoryThatIsLockedOtherwiseThanTheNextReadersIsNotUsedAgain() {
    Output small = output(1000);
    Output large = output(2 * MIB);
    allocator.close();
    PagePinner pinner = PagePinner.mlock();
    assertSame(allocator, allocator.reopen(pinner));
    Output smallAndLocked = output(1000);
    Output largeAndLocked = output(2 * MIB);
    assertEquals(3 * MIB + (2 * MIB / 64 + 4096), allocator.pinnedBytes());
    small.retire();
    large.retire();
    assertEquals(0, retained());
    smallAndLocked.retire();
    largeAndLocked.retire();
    assertEquals(3 * MIB, retained());
    allocator.close();
    Deadlines.assertEventually("all is unlocked", () -> allocator.pinnedBytes() == 0);
  }

  @Test
  void refusalThatNothingCanChangeLeavesAtOnce() {
    assertSame(allocator, allocator.reopen(PagePinner.mlock(4096)));
    long start = System.nanoTime();
    for (int i = 0; i < 100; i++) {
      assertThrows(PinningException.class, () -> output(MIB));
    }
    assertTrue(System.nanoTime() - start < 20_000_000_000L, "each waited");
    assertEquals(0, fresh());
  }

  @Test
  void idleMemoryOfAnotherSizeMakesRoomUnderALimit() {
    assertSame(allocator, allocator.reopen(PagePinner.mlock(3 * MIB)));
    for (int i = 0; i < 20; i++) {
      Output output = output(i % 2 == 0 ? 5 * MIB / 2 : 2 * MIB);
      output.retire();
    }
    assertTrue(fresh() >= 20 * 2 * MIB);
  }

  @Test
  void allocatorIsWatchedWhileItHasMemory() {
    long later = System.nanoTime() + 11_000_000_000L;
    output(4 * MIB).retire();
    OutputTrimmer.look(later);
    assertEquals(0, retained());
    Output kept = output(4 * MIB);
    OutputTrimmer.look(later + 11_000_000_000L);
    kept.retire();
    assertEquals(4 * MIB, retained());
    OutputTrimmer.look(System.nanoTime() + 11_000_000_000L);
    assertEquals(0, retained());
  }

  /** Counts what is registered; each registration may end once. */
  private static final class CountingPinner implements PagePinner {
    private final AtomicLong live = new AtomicLong();
    private final AtomicLong endedTwice = new AtomicLong();

    @Override
    public Registration register(MemorySegment memory) {
      live.incrementAndGet();
      return new Counted(memory.byteSize());
    }

    private final class Counted implements Registration {
      private final long byteSize;
      private final AtomicBoolean active = new AtomicBoolean(true);

      Counted(long byteSize) {
        this.byteSize = byteSize;
      }

      @Override
      public long byteSize() {
        return byteSize;
      }

      @Override
      public boolean isForeign() {
        return false;
      }

      @Override
      public boolean isActive() {
        return active.get();
      }

      @Override
      public void close() {
        if (active.compareAndSet(true, false)) {
          live.decrementAndGet();
        } else {
          endedTwice.incrementAndGet();
        }
      }
    }
  }

  @Test
  void manyThreadsNeverShareABufferWhileOthersTrimCloseAndOpenAgain() throws Exception {
    int rounds = Rounds.of(20_000);
    CountingPinner[] pinners = {new CountingPinner(), new CountingPinner()};
    assertSame(allocator, allocator.reopen(pinners[0]));
    List<FutureTask<Void>> takers = new ArrayList<>();
    for (int thread = 0; thread < 16; thread++) {
      long stamp = thread;
      takers.add(Deadlines.start("taker", () -> takeAndGive(stamp, rounds / 16 + 1)));
    }
    Random random = new Random(16);
    for (int turn = 0; takers.stream().anyMatch(task -> !task.isDone()); turn++) {
      switch (random.nextInt(4)) {
        case 0 -> allocator.trim(System.nanoTime() + 11_000_000_000L);
        case 1 -> allocator.close();
        case 2 -> assertSame(allocator, allocator.reopen(pinners[turn % 2]));
        default -> Deadlines.pause(Duration.ofMillis(1));
      }
    }
    for (FutureTask<Void> taker : takers) {
      Deadlines.result(taker);
    }
    allocator.close();
    Deadlines.assertEventually(
        "all memory is given back", () -> pinners[0].live.get() == 0 && pinners[1].live.get() == 0);
    assertEquals(0, pinners[0].endedTwice.get() + pinners[1].endedTwice.get());
    assertEquals(0, allocator.pinnedBytes());
  }

  private Void takeAndGive(long stamp, int rounds) {
    Random random = new Random(stamp);
    List<Output> held = new ArrayList<>();
    for (int i = 0; i < rounds; i++) {
      Output output = output(1 + random.nextInt(6000));
      Stamps.fill(output.place(1 + random.nextInt(6000)), stamp, held.size());
      held.add(output);
      if (held.size() == 5) {
        for (int k = 4; k >= 0; k--) {
          Stamps.verify(held.get(k).bytes(), stamp, k);
          held.get(k).retire();
        }
        held.clear();
      }
    }
    held.forEach(Output::retire);
    return null;
  }
}
