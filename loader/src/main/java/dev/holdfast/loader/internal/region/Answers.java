package dev.holdfast.loader.internal.region;

import dev.holdfast.arena.ArenaCorruptedException;
import dev.holdfast.loader.internal.failure.FailureCodec;
import dev.holdfast.loader.internal.failure.RemoteFailure;
import dev.holdfast.loader.internal.parent.Failures;
import dev.holdfast.loader.internal.pipeline.StageFigures;
import dev.holdfast.loader.internal.pipeline.Trouble;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * What a worker says beside a result, or without one. A record of plain numbers and texts:
 *
 * <pre>
 *   u8  1 when the result follows
 *   u32 count, u64 each   inputs that the result stems from
 *   u32 count, u64 each   inputs that are done with this
 *   u32 count, each: stage, input (u64), item, always (u8), length (u32), failure
 *   u32 count, each: figures of a stage
 * </pre>
 *
 * @param hasValue whether the result follows
 * @param inputs inputs that it stems from
 * @param done inputs of which nothing more comes
 * @param troubles items that failed
 * @param figures the figures of the stages inside, perhaps none this time
 */
record Answers(
    boolean hasValue,
    List<Long> inputs,
    List<Long> done,
    List<Reported> troubles,
    List<StageFigures.Snapshot> figures) {

  /**
   * An item that failed in the worker.
   *
   * @param stage the stage's name
   * @param input the input's number
   * @param item the item as reports show it
   * @param always whether the pass ends whatever the policy says
   * @param failure what was thrown
   */
  record Reported(String stage, long input, String item, boolean always, RemoteFailure failure) {}

  static MemorySegment encode(
      boolean hasValue,
      List<Long> inputs,
      List<Long> done,
      List<Trouble> troubles,
      List<StageFigures.Snapshot> figures) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(64);
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeBoolean(hasValue);
      writeNumbers(out, inputs);
      writeNumbers(out, done);
      out.writeInt(troubles.size());
      for (Trouble trouble : troubles) {
        writeText(out, trouble.stage());
        out.writeLong(trouble.index());
        writeText(out, trouble.item());
        out.writeBoolean(trouble.always());
        byte[] failure = FailureCodec.encode(trouble.thrown()).toArray(ValueLayout.JAVA_BYTE);
        out.writeInt(failure.length);
        out.write(failure);
      }
      out.writeInt(figures.size());
      for (StageFigures.Snapshot snapshot : figures) {
        write(out, snapshot);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return MemorySegment.ofArray(bytes.toByteArray());
  }

  /**
   * Reads what {@link #encode} made.
   *
   * @throws ArenaCorruptedException when it is damaged
   */
  static Answers decode(byte[] bytes) {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      boolean hasValue = truth(in);
      List<Long> inputs = readNumbers(in);
      List<Long> done = readNumbers(in);
      List<Reported> troubles = new ArrayList<>();
      for (int left = count(in); left > 0; left--) {
        troubles.add(
            new Reported(readText(in), in.readLong(), readText(in), truth(in), failure(in)));
      }
      List<StageFigures.Snapshot> figures = new ArrayList<>();
      for (int left = count(in); left > 0; left--) {
        figures.add(readFigures(in));
      }
      if (in.available() > 0) {
        throw new IOException("bytesBehindTheEnd=" + in.available());
      }
      return new Answers(hasValue, inputs, done, troubles, figures);
    } catch (IOException e) {
      throw Failures.unreadable("an answer of a worker is damaged", bytes.length, e);
    }
  }

  private static RemoteFailure failure(DataInputStream in) throws IOException {
    return FailureCodec.decode(MemorySegment.ofArray(readBytes(in)));
  }

  private static boolean truth(DataInputStream in) throws IOException {
    int truth = in.readUnsignedByte();
    if (truth > 1) {
      throw new IOException("truth=" + truth);
    }
    return truth == 1;
  }

  /** Reads how many follow; each takes a byte at least. */
  private static int count(DataInputStream in) throws IOException {
    int count = in.readInt();
    if (count < 0 || count > in.available()) {
      throw new IOException("count=%d available=%d".formatted(count, in.available()));
    }
    return count;
  }

  private static byte[] readBytes(DataInputStream in) throws IOException {
    return in.readNBytes(count(in));
  }

  private static void writeText(DataOutputStream out, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  private static String readText(DataInputStream in) throws IOException {
    return new String(readBytes(in), StandardCharsets.UTF_8);
  }

  private static void writeNumbers(DataOutputStream out, List<Long> numbers) throws IOException {
    out.writeInt(numbers.size());
    for (long number : numbers) {
      out.writeLong(number);
    }
  }

  private static List<Long> readNumbers(DataInputStream in) throws IOException {
    int left = count(in);
    if (left == 1) {
      return List.of(in.readLong());
    }
    List<Long> numbers = new ArrayList<>();
    for (; left > 0; left--) {
      numbers.add(in.readLong());
    }
    return numbers;
  }

  private static void write(DataOutputStream out, StageFigures.Snapshot snapshot)
      throws IOException {
    writeText(out, snapshot.name());
    out.writeInt(snapshot.concurrency());
    out.writeInt(snapshot.queueCapacity());
    out.writeLong(snapshot.items());
    out.writeLong(snapshot.failures());
    out.writeLong(snapshot.busyNanos());
    out.writeLong(snapshot.samples());
    out.writeLong(snapshot.sampledCells());
    out.writeInt(snapshot.times().length);
    out.write(snapshot.times());
  }

  private static StageFigures.Snapshot readFigures(DataInputStream in) throws IOException {
    StageFigures.Snapshot figures =
        new StageFigures.Snapshot(
            readText(in),
            in.readInt(),
            in.readInt(),
            in.readLong(),
            in.readLong(),
            in.readLong(),
            in.readLong(),
            in.readLong(),
            readBytes(in));
    if (!figures.canBeTrue()) {
      throw new IOException("figures=" + figures);
    }
    return figures;
  }
}
