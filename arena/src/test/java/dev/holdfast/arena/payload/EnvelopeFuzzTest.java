package dev.holdfast.arena.payload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.ArenaCorruptedException;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Rounds;
import dev.holdfast.testkit.Seeds;
import dev.holdfast.testkit.Tally;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputFilter;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Random items through both codecs. {@code -Dholdfast.seed} repeats a run that failed. */
class EnvelopeFuzzTest {
  private static final long MAX_ALLOCATED_BYTES = 16L << 20;

  private final FakeUnit unit = new FakeUnit(1 << 20);
  private final ItemCodec compact = Envelopes.COMPACT.items();
  private final ItemCodec java = Envelopes.JAVA.items();
  private long seed;

  @BeforeEach
  void chooseSeed() {
    seed = Seeds.next();
  }

  /** Runs each round with a seed of its own; the failure names the one that repeats it first. */
  private interface Round {
    void run(long seed) throws Exception;
  }

  private void rounds(int full, Round round) throws Exception {
    int count = Rounds.of(full);
    Deadlines.within(
        "fuzz",
        Duration.ofMinutes(10),
        () -> {
          for (int i = 0; i < count; i++) {
            try {
              round.run(seed + i);
            } catch (Exception | Error e) {
              throw new AssertionError("-Dholdfast.seed=" + (seed + i), e);
            }
          }
          return count;
        });
  }

  @Test
  void itemsComeBackAsFromJavaSerialization() throws Exception {
    ItemCodec.Encoder encoder = compact.newEncoder();
    ItemCodec.Decoder decoder = newDecoder(compact, null);
    rounds(
        50_000,
        round -> {
          Object item = new RandomItems(round).next();
          String expected = arrived(java.newEncoder(), newDecoder(java, null), item);
          assertEquals(expected, arrived(encoder, decoder, item));
        });
  }

  @Test
  void itemsWithoutBinariesComeBackAsFromAPlainStream() throws Exception {
    rounds(
        10_000,
        round -> {
          Object item = new RandomItems(round).next();
          Object expected;
          try {
            expected = plainCopy(item);
          } catch (java.io.NotSerializableException e) {
            return; // a tensor
          }
          assertEquals(
              Graphs.describe(expected),
              arrived(compact.newEncoder(), newDecoder(compact, null), item));
        });
  }

  private static Object plainCopy(Object item) throws IOException, ClassNotFoundException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(item);
    }
    byte[] array = bytes.toByteArray();
    try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(array))) {
      return in.readObject();
    }
  }

  @Test
  void filtersAreAskedAboutTheSameClassesAndLengths() throws Exception {
    rounds(
        10_000,
        round -> {
          Object item = new RandomItems(round).next();
          assertEquals(questions(java, item), questions(compact, item));
        });
  }

  private Set<String> questions(ItemCodec codec, Object item) throws Exception {
    Set<String> asked = new TreeSet<>();
    ObjectInputFilter filter =
        info -> {
          if (info.serialClass() != null) {
            asked.add(info.serialClass().getName() + " " + info.arrayLength());
          }
          assertTrue(info.depth() >= 1 && info.references() >= 1 && info.streamBytes() >= 0);
          return ObjectInputFilter.Status.UNDECIDED;
        };
    assertEquals(
        arrived(codec.newEncoder(), newDecoder(codec, null), item),
        arrived(codec.newEncoder(), newDecoder(codec, filter), item));
    return asked;
  }

  private static ItemCodec.Decoder newDecoder(ItemCodec codec, ObjectInputFilter filter) {
    return codec.newDecoder(filter, Channels.loader());
  }

  /** Sends an item and says what has come. */
  private String arrived(ItemCodec.Encoder encoder, ItemCodec.Decoder decoder, Object item)
      throws IOException, ClassNotFoundException {
    unit.rewind();
    Envelope envelope = decoder.register(encoder.encode(item, unit).bytes());
    encoder.sent();
    return Graphs.describe(decoder.restore(envelope, unit, RestoreMode.VIEWS));
  }

  // R74
  @Test
  void damagedItemsAreTypedErrorsAndAskForLittleMemory() throws Exception {
    int[] failed = new int[1];
    int[] changes = new int[1];
    rounds(
        20_000,
        round -> {
          unit.rewind();
          byte[] record =
              Channels.record(compact.newEncoder(), new RandomItems(round).next(), unit);
          changes[0] += damage(record, new Random(round));
          DamagedRecordTest.setChecksum(record);
          failed[0] += readsDamaged(record) ? 0 : 1;
        });
    assertTrue(failed[0] > 0);
    Tally.MUTATIONS.add(changes[0]);
  }

  /** Returns how many changes it has made. */
  private static int damage(byte[] record, Random random) {
    int size = RecordLayout.get(record, RecordLayout.BODY_SIZE_OFFSET);
    int changes = 1 + random.nextInt(3);
    for (int i = 0; i < changes; i++) {
      int at = RecordLayout.BODY_OFFSET + random.nextInt(size);
      int end = Math.min(RecordLayout.BODY_OFFSET + size, at + 5);
      switch (random.nextInt(4)) {
        case 0 -> record[at] ^= (byte) (1 << random.nextInt(8));
        case 1 -> record[at] = (byte) random.nextInt(32);
        case 2 -> record[at] = (byte) random.nextInt();
        default -> Arrays.fill(record, at, end, (byte) 0x7f);
      }
    }
    return changes;
  }

  private boolean readsDamaged(byte[] record) {
    long before = allocatedBytes();
    boolean done = false;
    try {
      ItemCodec.Decoder decoder = newDecoder(compact, null);
      Object _ = decoder.restore(decoder.register(record), unit, RestoreMode.VIEWS);
      done = true;
    } catch (ArenaCorruptedException | IOException | ClassNotFoundException e) {
      assertNotNull(e.getMessage());
    }
    long allocated = allocatedBytes() - before;
    assertTrue(allocated < MAX_ALLOCATED_BYTES, "allocated " + allocated);
    return done;
  }

  private static long allocatedBytes() {
    var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    return threads.getCurrentThreadAllocatedBytes();
  }
}
