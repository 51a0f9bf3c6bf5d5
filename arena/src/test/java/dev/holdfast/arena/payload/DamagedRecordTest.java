package dev.holdfast.arena.payload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.ArenaCorruptedException;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Rounds;
import dev.holdfast.testkit.Seeds;
import dev.holdfast.testkit.Tally;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource(Envelopes.class)
class DamagedRecordTest {
  private static final RestoreMode VIEWS = RestoreMode.VIEWS;
  private static final long MAX_ALLOCATED_BYTES = 64L << 20;

  private final FakeUnit unit = new FakeUnit(64 << 10);
  private final ItemCodec codec;

  DamagedRecordTest(Envelopes envelopes) {
    this.codec = envelopes.items();
  }

  private byte[] sample() throws IOException {
    unit.rewind();
    Map<String, Object> item = new HashMap<>();
    item.put("numbers", List.of(1, 2L, 3.0));
    item.put("text", "x".repeat(70));
    item.put("objects", new Object[] {Samples.Colour.RED, null, new Samples.Anything("a")});
    item.put("small", ByteBuffer.allocate(30));
    item.put("floats", new float[2000]);
    item.put("tensor", Tensor.of(new float[2000], 20, 100));
    item.put("shorts", new short[][] {{1}, {2, 3}});
    return Channels.record(codec.newEncoder(), item, unit);
  }

  // R74
  @Test
  void anyFlippedBitOutsideInlineBytesIsFound() throws Exception {
    byte[] record = sample();
    int checked = record.length - 30 - 6;
    for (int i = 0; i < checked; i++) {
      for (int bit = 0; bit < 8; bit++) {
        byte[] damaged = record.clone();
        damaged[i] ^= (byte) (1 << bit);
        assertThrows(
            ArenaCorruptedException.class, () -> newDecoder().register(damaged), "byte " + i);
      }
    }
  }

  // R74
  @Test
  void aRecordOfAnotherLengthIsFound() throws Exception {
    byte[] record = sample();
    for (int length = 0; length < record.length; length++) {
      byte[] cut = Arrays.copyOf(record, length);
      assertThrows(ArenaCorruptedException.class, () -> newDecoder().register(cut));
    }
    byte[] longer = Arrays.copyOf(record, record.length + 1);
    assertThrows(ArenaCorruptedException.class, () -> newDecoder().register(longer));
  }

  /* Damage below a right checksum; a failure names the seed that repeats it first. */
  // R74
  @Test
  void nonsenseWithARightChecksumIsATypedErrorAndAsksForLittleMemory() throws Exception {
    byte[] record = sample();
    int rounds = Rounds.of(50_000);
    long seed = Seeds.next();
    int failed =
        Deadlines.within("damage", Duration.ofMinutes(10), () -> failures(record, rounds, seed));
    assertTrue(failed > rounds / 2, "only " + failed + " failed");
    Tally.MUTATIONS.add(rounds);
  }

  private int failures(byte[] record, int rounds, long seed) {
    int failed = 0;
    for (int i = 0; i < rounds; i++) {
      failed += failsTyped(damaged(record, new Random(seed + i)), seed + i) ? 1 : 0;
    }
    return failed;
  }

  private static byte[] damaged(byte[] record, Random random) {
    byte[] damaged = record.clone();
    int changes = 1 + random.nextInt(3);
    for (int i = 0; i < changes; i++) {
      int at = RecordLayout.BODY_SIZE_OFFSET + random.nextInt(damaged.length - 8);
      switch (random.nextInt(4)) {
        case 0 -> damaged[at] ^= (byte) (1 << random.nextInt(8));
        case 1 -> damaged[at] = (byte) random.nextInt();
        case 2 -> damaged[at] = (byte) 0x7f;
        default -> {
          int until = Math.min(damaged.length, at + 4);
          Arrays.fill(damaged, at, until, (byte) (random.nextBoolean() ? 0xff : 0x7f));
        }
      }
    }
    setChecksum(damaged);
    return damaged;
  }

  static void setChecksum(byte[] record) {
    long end =
        RecordLayout.BODY_OFFSET
            + (long) RecordLayout.get(record, RecordLayout.BODY_SIZE_OFFSET)
            + RecordLayout.get(record, RecordLayout.HEAD_SIZE_OFFSET)
            + RecordLayout.get(record, RecordLayout.TABLE_SIZE_OFFSET);
    if (end >= RecordLayout.BODY_OFFSET && end <= record.length) {
      int sum = RecordLayout.checksum(new CRC32C(), record, (int) end);
      RecordLayout.set(record, RecordLayout.CHECKSUM_OFFSET, sum);
    }
  }

  private boolean failsTyped(byte[] record, long seed) {
    long before = allocatedBytes();
    boolean threw = false;
    try {
      ItemCodec.Decoder decoder = newDecoder();
      decoder.restore(decoder.register(record), unit, VIEWS);
    } catch (ArenaCorruptedException | IOException | ClassNotFoundException e) {
      threw = true;
    } catch (RuntimeException | Error e) {
      throw new AssertionError("-Dholdfast.seed=" + seed, e);
    }
    long allocated = allocatedBytes() - before;
    assertTrue(
        allocated < MAX_ALLOCATED_BYTES, "-Dholdfast.seed=" + seed + " allocated " + allocated);
    return threw;
  }

  private static long allocatedBytes() {
    var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    return threads.getCurrentThreadAllocatedBytes();
  }

  private ItemCodec.Decoder newDecoder() {
    return codec.newDecoder(null, Channels.loader());
  }

  @Test
  void aMissedRecordIsFoundByItsDescriptors() throws Exception {
    ItemCodec.Encoder encoder = codec.newEncoder();
    ItemCodec.Decoder decoder = newDecoder();
    encoder.encode(new Samples.Anything(1), null);
    encoder.sent();
    byte[] next = Channels.bytes(encoder.encode(Samples.Colour.RED, null));
    assertThrows(ArenaCorruptedException.class, () -> decoder.register(next));
  }

  @Test
  void aBinaryOutsideTheUnitIsRefused() throws Exception {
    ItemCodec.Encoder encoder = codec.newEncoder();
    ItemCodec.Decoder decoder = newDecoder();
    Envelope envelope = decoder.register(encoder.encode(new byte[5000], unit).bytes());
    unit.rewind();
    assertThrows(ArenaCorruptedException.class, () -> decoder.restore(envelope, unit, VIEWS));
    assertThrows(ArenaCorruptedException.class, () -> decoder.restore(envelope, null, VIEWS));
  }

  @Test
  void aDecoderIsAsGoodAsNewAfterADamagedItem() throws Exception {
    ItemCodec.Encoder encoder = codec.newEncoder();
    ItemCodec.Decoder decoder = newDecoder();
    byte[] record = Channels.bytes(encoder.encode(List.of(1, 2), null));
    encoder.sent();
    byte[] damaged = record.clone();
    damaged[RecordLayout.BODY_OFFSET] = 0x55;
    setChecksum(damaged);
    Envelope broken = decoder.register(damaged);
    assertThrows(Exception.class, () -> decoder.restore(broken, null, VIEWS));
    byte[] second = Channels.bytes(encoder.encode(List.of(3), null));
    assertEquals(List.of(3), decoder.restore(decoder.register(second), null, VIEWS));
  }
}
