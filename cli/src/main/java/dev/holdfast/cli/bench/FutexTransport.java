package dev.holdfast.cli.bench;

import dev.holdfast.arena.Backing;
import dev.holdfast.arena.internal.memory.MemoryMapping;
import dev.holdfast.arena.internal.memory.SharedFile;
import dev.holdfast.arena.internal.memory.SharedWords;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The baseline of round trips: a worker process answers, and either side waits for a word of shared
 * memory in the kernel. Nothing is carried.
 */
public final class FutexTransport implements Transport {
  private static final long BYTES = 4096;
  private static final long REQUEST = 0;
  private static final long ANSWER = 128;
  private static final long SLICE_NANOS = 100_000_000;

  /** Made by the service loader. */
  public FutexTransport() {}

  @Override
  public String name() {
    return "futex";
  }

  @Override
  public List<Long> defaultSizes() {
    return List.of(0L);
  }

  @Override
  public Session open(CellSpec cell) throws IOException, NotSupportedException {
    if (cell.measure() != CellSpec.Measure.LATENCY) {
      throw new NotSupportedException("nothing is carried, so there are only round trips");
    }
    return new Asking(cell);
  }

  private static void set(SharedWords words, long offset, int value) {
    words.setIntVolatile(offset, value);
    words.wake(offset);
  }

  /** The consumer's end. Items are stamped here, since nothing comes. */
  private static final class Asking implements Session {
    private final MemorySegment bytes;
    private final SharedFile file =
        SharedFile.create(Backing.memfd(), "holdfast-futex", FutexTransport.BYTES);
    private final MemoryMapping mapping = file.map();
    private final ProducerProcess producer;
    private int number;

    Asking(CellSpec cell) throws IOException {
      bytes = cell.payload().newBytes(cell.sizeBytes());
      producer =
          ProducerProcess.start(cell, Answering.class, file.descriptor() + " " + file.linkText());
    }

    @Override
    public void pass(PassPlan plan, Consumer<Object> consumer) throws IOException {
      producer.requireAlive();
      SharedWords words = mapping.words();
      for (int unit = 0; unit < plan.items(); unit++) {
        Stamps.write(bytes, plan, unit);
        set(words, REQUEST, number + 1);
        awaitAnswer(words, number++);
        consumer.accept(bytes);
      }
    }

    private void awaitAnswer(SharedWords words, int seen) throws IOException {
      while (words.getIntVolatile(ANSWER) == seen) {
        words.awaitChange(ANSWER, seen, SLICE_NANOS);
        producer.requireAlive();
      }
    }

    @Override
    public OptionalLong producerPid() {
      return OptionalLong.of(producer.pid());
    }

    @Override
    public void close() throws IOException {
      producer.close();
      mapping.release();
      file.close();
    }
  }

  /** The worker's end: a thread answers until the process ends. */
  static final class Answering implements ProducerEnd {
    private @Nullable SharedFile file;

    Answering() {}

    @Override
    public void open(CellSpec cell, String address, OutputStream out) {
      int blank = address.indexOf(' ');
      long owner = ProcessHandle.current().parent().orElseThrow().pid();
      int descriptor = Integer.parseInt(address.substring(0, blank));
      SharedFile shared = SharedFile.attach(owner, descriptor, address.substring(blank + 1), BYTES);
      file = shared;
      SharedWords words = shared.map().words();
      Thread thread = new Thread(() -> answer(words), "holdfast-answering");
      thread.setDaemon(true);
      thread.start();
    }

    private static void answer(SharedWords words) {
      int number = 0;
      while (true) {
        while (words.getIntVolatile(REQUEST) == number) {
          words.awaitChange(REQUEST, number, SLICE_NANOS);
        }
        number++;
        set(words, ANSWER, number);
      }
    }

    @Override
    public void produce(PassPlan plan) {
      throw new IllegalStateException("nobody asks for passes");
    }

    @Override
    public void close() {
      Objects.requireNonNull(file, "not open").close();
    }
  }
}
