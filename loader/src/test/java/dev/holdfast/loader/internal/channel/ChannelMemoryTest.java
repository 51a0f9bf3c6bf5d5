package dev.holdfast.loader.internal.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.ArenaCorruptedException;
import dev.holdfast.arena.internal.memory.MemoryMapping;
import dev.holdfast.arena.internal.memory.SharedFile;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Maps;
import dev.holdfast.testkit.Rounds;
import dev.holdfast.testkit.Seeds;
import dev.holdfast.testkit.Tally;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What a worker believes of the memory that it is given. */
@ExtendWith(Leftovers.class)
final class ChannelMemoryTest {
  private static final long ITEMS = 4096;
  private static final long INPUTS = 2048;

  private SharedFile file;
  private ChannelMemory made;
  private MemoryMapping mapping;
  private MemorySegment right;

  @BeforeEach
  void make() {
    file = ChannelMemory.reserve(ITEMS, INPUTS);
    made = ChannelMemory.create(file, ITEMS, 3, INPUTS);
    mapping = file.map();
    right = MemorySegment.ofArray(new byte[(int) ChannelLayout.RINGS_OFFSET]);
    right.copyFrom(mapping.segment().asSlice(0, ChannelLayout.RINGS_OFFSET));
  }

  @AfterEach
  void end() {
    assertTrue(mapping.releaseNow());
    assertTrue(made.close());
    file.close();
  }

  private ArenaCorruptedException refused() {
    int mapped = mapped();
    ArenaCorruptedException refused =
        assertThrows(ArenaCorruptedException.class, () -> ChannelMemory.attach(file).close());
    assertEquals(mapped, mapped(), "mappings");
    return refused;
  }

  private static int mapped() {
    return Maps.ofArenas().size();
  }

  private void set(long offset, long value) {
    mapping.words().setVolatile(offset, value);
  }

  // R74
  @Test
  void capacityThatNoRingCanHaveIsATypedErrorAndLeavesNoMapping() {
    for (long offset :
        new long[] {
          ChannelLayout.COMMAND_CAPACITY_OFFSET,
          ChannelLayout.ITEM_CAPACITY_OFFSET,
          ChannelLayout.INPUT_CAPACITY_OFFSET
        }) {
      long now = mapping.words().getVolatile(offset);
      for (long value :
          new long[] {1, 8, -8, now + 8, 1L << 40, Long.MIN_VALUE, Long.MAX_VALUE - 7}) {
        set(offset, value);
        refused();
      }
      set(offset, now);
    }
  }

  /** Their sum is right, and every field after the first ring would lie across two words. */
  // R74
  @Test
  void capacitiesThatAreNoMultiplesOfEightAreATypedErrorAndLeaveNoMapping() {
    set(ChannelLayout.ITEM_CAPACITY_OFFSET, ITEMS + 4);
    set(ChannelLayout.INPUT_CAPACITY_OFFSET, INPUTS - 4);
    assertEquals(ITEMS + 4, refused().facts().get("itemCapacity"));
    set(ChannelLayout.ITEM_CAPACITY_OFFSET, ITEMS);
    set(ChannelLayout.COMMAND_CAPACITY_OFFSET, (64 << 10) + 4);
    assertEquals((64L << 10) + 4, refused().facts().get("commandCapacity"));
    set(ChannelLayout.COMMAND_CAPACITY_OFFSET, 64 << 10);
    set(ChannelLayout.ITEM_CAPACITY_OFFSET, ITEMS + 4);
    set(ChannelLayout.INPUT_CAPACITY_OFFSET, INPUTS);
    refused();
  }

  @Test
  void memoryOfAnotherKindOrVersionIsATypedErrorAndLeavesNoMapping() {
    set(ChannelLayout.MAGIC_OFFSET, ChannelLayout.MAGIC + 1);
    refused();
    set(ChannelLayout.MAGIC_OFFSET, ChannelLayout.MAGIC);
    mapping.words().setIntVolatile(ChannelLayout.VERSION_OFFSET, ChannelLayout.VERSION + 1);
    assertEquals((long) ChannelLayout.VERSION + 1, refused().facts().get("version"));
  }

  /** {@code -Dholdfast.seed} repeats a run. */
  // R74
  @Test
  void whateverStandsInTheHeaderIsAChannelOrATypedErrorAndLeavesNoMapping() {
    long seed = Seeds.next();
    int rounds = Rounds.of(20_000);
    int mapped = mapped();
    int found = 0;
    for (int round = 0; round < rounds; round++) {
      mapping.segment().asSlice(0, ChannelLayout.RINGS_OFFSET).copyFrom(right);
      lie(new Random(seed + round));
      try {
        ChannelMemory memory = ChannelMemory.attach(file);
        assertTrue(memory.itemLimit() >= 1);
        assertTrue(memory.commands().capacity() % 8 == 0);
        assertEquals(
            mapping.words().getIntVolatile(ChannelLayout.ENDED_OFFSET) != 0, memory.ended());
        assertTrue(memory.close());
      } catch (ArenaCorruptedException e) {
        found++;
      } catch (RuntimeException | Error e) {
        throw new AssertionError("-Dholdfast.seed=" + (seed + round), e);
      }
    }
    assertEquals(mapped, mapped(), "mappings");
    assertTrue(found > 0 && found < rounds, "found " + found + " of " + rounds);
    Tally.ROUNDS.add(rounds);
    Tally.MUTATIONS.add(rounds);
  }

  private void lie(Random random) {
    int fields = (int) ChannelLayout.INPUT_CAPACITY_OFFSET / 8 + 2; // and one farther on
    for (int lies = 1 + random.nextInt(2); lies > 0; lies--) {
      int field = random.nextInt(fields);
      long at = field == fields - 1 ? ChannelLayout.ENDED_OFFSET : 8L * field;
      if (random.nextBoolean()) {
        long place = at + random.nextInt(8);
        byte now = mapping.segment().get(ValueLayout.JAVA_BYTE, place);
        mapping
            .segment()
            .set(ValueLayout.JAVA_BYTE, place, (byte) (now ^ (1 << random.nextInt(8))));
      } else {
        set(at, random.nextBoolean() ? random.nextLong() : random.nextInt(-16, 8192));
      }
    }
  }
}
