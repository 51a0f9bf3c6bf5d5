package dev.holdfast.acceptance.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.ArenaCorruptedException;
import dev.holdfast.loader.pipeline.OnWorkerDeath;
import dev.holdfast.loader.pipeline.Order;
import dev.holdfast.loader.pipeline.Pipeline;
import dev.holdfast.loader.pipeline.PipelineIterable;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Maps;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.Iterator;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Workers that send what no worker says: the consumer hears of it by type, now and later. */
@ExtendWith(Leftovers.class)
@Timeout(300)
final class LyingRegionWorkersTest {
  private static final int ITEM = 19;
  private static final int FINISHED = 24;
  private static final int ANSWER = 26;

  /** What a worker sends instead of its second result. */
  enum Lie {
    NONSENSE {
      @Override
      void tell(ForgedRecords channel) {
        channel.send(ANSWER, 1, new byte[] {0, 1, 2, 3});
      }
    },
    TWO_ANSWERS_AND_NO_RESULT {
      @Override
      void tell(ForgedRecords channel) {
        channel.send(ANSWER, 1, answer(true));
        channel.send(ANSWER, 1, answer(true));
      }
    },
    RESULT_THAT_ANSWERS_NOTHING {
      @Override
      void tell(ForgedRecords channel) {
        channel.send(ITEM, 1, channel.lastBody(ITEM));
      }
    },
    END_INSTEAD_OF_A_RESULT {
      @Override
      void tell(ForgedRecords channel) {
        channel.send(ANSWER, 1, answer(true));
        channel.send(FINISHED, -1, new byte[0]);
      }
    },
    END_BEFORE_THE_LAST_ANSWER {
      @Override
      void tell(ForgedRecords channel) {
        channel.send(FINISHED, -1, new byte[0]);
      }
    },
    STAGE_WITHOUT_A_THREAD {
      @Override
      void tell(ForgedRecords channel) {
        channel.send(ANSWER, 1, figures(0));
      }
    };

    abstract void tell(ForgedRecords channel);

    /** An answer to nothing. */
    private static byte[] answer(boolean hasValue) {
      return ByteBuffer.allocate(17).put((byte) (hasValue ? 1 : 0)).array();
    }

    /** The figures of one stage without a name. */
    private static byte[] figures(int concurrency) {
      return ByteBuffer.allocate(17 + 4 + 4 + 4 + 5 * 8 + 4)
          .put(new byte[13])
          .putInt(1)
          .putInt(0)
          .putInt(concurrency)
          .array();
    }
  }

  // R74
  @ParameterizedTest
  @EnumSource(Lie.class)
  void lieOfAWorkerIsCorruptionOnEveryCall(Lie lie) throws Exception {
    try (PipelineIterable<Integer> pipeline =
        Pipeline.from(new Lines.Below(2))
            .to(
                Lines.region(1)
                    .inputsAhead(1)
                    .order(Order.COMPLETION)
                    .onWorkerDeath(OnWorkerDeath.RESTART))
            .<Integer>map(
                item -> {
                  if (item == 1) {
                    lie.tell(ForgedRecords.ofChannel());
                    Thread.sleep(3_600_000);
                  }
                  return item;
                })
            .toMain()
            .build()) {
      Iterator<Integer> results = pipeline.iterator();
      assertEquals(0, results.next());
      ArenaCorruptedException found =
          Deadlines.within(
              "the lie is found",
              Duration.ofMinutes(2),
              () -> assertThrows(ArenaCorruptedException.class, results::next));
      assertTrue(found.advice().contains("close the iterable"), found::getMessage);
      assertThrows(ArenaCorruptedException.class, results::next);
      assertThrows(ArenaCorruptedException.class, pipeline.iterator()::next);
      assertEquals(0, pipeline.stats().restarts());
      assertEquals(0, pipeline.stats().failed());
    }
  }

  /**
   * Writes records to the end of this worker's items, while its own thread sends none. The places
   * are those of {@code docs/layout.md}; the ring has not wrapped yet.
   */
  static final class ForgedRecords {
    private static final long COMMAND_CAPACITY = 16;
    private static final long ITEMS_PUBLISHED = 5120;
    private static final long RINGS = 8192;
    private static final int HEADER_BYTES = 32;
    private static final int KIND = 4;
    private static final int NUMBER_ONE = 8;

    private final long memory;
    private final long ring;

    private ForgedRecords(long memory) {
      this.memory = memory;
      this.ring = memory + RINGS + read(memory + COMMAND_CAPACITY, Long.BYTES).getLong();
    }

    static ForgedRecords ofChannel() {
      return new ForgedRecords(
          Maps.ofArenas().stream()
              .filter(mapping -> mapping.path().contains("-channel-"))
              .findFirst()
              .orElseThrow()
              .start());
    }

    private long published() {
      return read(memory + ITEMS_PUBLISHED, Long.BYTES).getLong();
    }

    /** Returns where the last record of a kind begins, or of any kind for 0. */
    private long last(int kind) {
      long last = -1;
      for (long at = 0; at < published(); at += bytes(read(ring + at, HEADER_BYTES).getInt())) {
        if (kind == 0 || read(ring + at, HEADER_BYTES).get(KIND) == kind) {
          last = ring + at;
        }
      }
      return last;
    }

    private static long bytes(int bodyBytes) {
      return HEADER_BYTES + ((bodyBytes + 7L) & -8);
    }

    byte[] lastBody(int kind) {
      long at = last(kind);
      byte[] body = new byte[read(at, HEADER_BYTES).getInt()];
      read(at + HEADER_BYTES, body.length).get(body);
      return body;
    }

    /** Sends a record of the current pass. */
    void send(int kind, long two, byte[] body) {
      long pass = read(last(0), HEADER_BYTES).getLong(NUMBER_ONE);
      long published = published();
      int firstAndLast = 3;
      int mark = 0x4846;
      write(
          ring + published,
          ByteBuffer.allocate((int) bytes(body.length))
              .order(ByteOrder.LITTLE_ENDIAN)
              .putInt(body.length)
              .put((byte) kind)
              .put((byte) firstAndLast)
              .putShort((short) mark)
              .putLong(pass)
              .putLong(two)
              .putLong(0)
              .put(body)
              .array());
      write(
          memory + ITEMS_PUBLISHED,
          ByteBuffer.allocate(Long.BYTES)
              .order(ByteOrder.LITTLE_ENDIAN)
              .putLong(published + bytes(body.length))
              .array());
    }

    private static ByteBuffer read(long address, int length) {
      try (RandomAccessFile self = new RandomAccessFile("/proc/self/mem", "r")) {
        byte[] bytes = new byte[length];
        self.seek(address);
        self.readFully(bytes);
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private static void write(long address, byte[] bytes) {
      try (RandomAccessFile self = new RandomAccessFile("/proc/self/mem", "rw")) {
        self.seek(address);
        self.write(bytes);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
