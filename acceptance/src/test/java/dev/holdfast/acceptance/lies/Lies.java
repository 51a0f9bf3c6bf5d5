package dev.holdfast.acceptance.lies;

import dev.holdfast.arena.HoldfastFailure;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;

/** Writes nonsense into the file of an arena, and judges what calls make of it. */
final class Lies implements AutoCloseable {
  /** No call asks for more memory on the heap, whatever it is told. */
  private static final long MOST_ALLOCATED_BYTES = 64L << 20;

  private static final int HEADER_FIELDS = 96;
  private static final int FIRST_WORD = 256;
  private static final int WORDS = 9;
  private static final int WORD_BYTES = 128;
  private static final int SEGMENT_WORDS = 4096;

  private final FileChannel file;
  private final Random random;
  private final int segments;
  private int told;
  private int refused;
  private int calls;
  private String last = "";

  Lies(Path path, Random random, int segments) {
    this.random = random;
    this.segments = segments;
    try {
      this.file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  int told() {
    return told;
  }

  int refused() {
    return refused;
  }

  int calls() {
    return calls;
  }

  /** Changes one number of the header or of the words. */
  void tell() {
    long offset = offset();
    long value = lie(read(offset));
    write(offset, value);
    told++;
    last = "offset " + offset + " = " + value;
  }

  private long offset() {
    return switch (random.nextInt(segments == 0 ? 4 : 7)) {
      case 0 -> random.nextInt(HEADER_FIELDS);
      case 1, 2, 3 ->
          FIRST_WORD + (long) WORD_BYTES * random.nextInt(WORDS) + 8L * random.nextInt(3);
      default ->
          SEGMENT_WORDS + (long) WORD_BYTES * random.nextInt(2 * segments) + 8L * random.nextInt(4);
    };
  }

  private long lie(long right) {
    return switch (random.nextInt(10)) {
      case 0 -> 0;
      case 1 -> -1;
      case 2 -> Long.MAX_VALUE - random.nextInt(3);
      case 3 -> Long.MIN_VALUE + random.nextInt(3);
      case 4 -> right + 1 + random.nextInt(4);
      case 5 -> right - 1 - random.nextInt(4);
      case 6 -> right ^ (1L << random.nextInt(64));
      case 7 -> 1L << random.nextInt(64);
      case 8 -> random.nextInt(8);
      default -> random.nextLong();
    };
  }

  private long read(long offset) {
    try {
      ByteBuffer word = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
      var _ = file.read(word, offset);
      return word.getLong(0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void write(long offset, long value) {
    try {
      ByteBuffer word = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
      if (file.write(word.putLong(0, value), offset) != Long.BYTES) {
        throw new AssertionError("not all was written");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Makes a call, which may succeed or end in an error that says what is wrong, with little memory.
   */
  void call(String what, Runnable body) {
    calls++;
    long before = allocatedBytes();
    try {
      body.run();
    } catch (IllegalStateException e) {
      refused++; // told apart from other errors by its message
      if (String.valueOf(e.getMessage()).contains("retired twice")) {
        throw new AssertionError(what + " after " + last, e);
      }
    } catch (RuntimeException | Error e) {
      if (!(e instanceof HoldfastFailure)) {
        throw new AssertionError(what + " after " + last, e);
      }
      refused++;
    }
    long allocated = allocatedBytes() - before;
    if (allocated > MOST_ALLOCATED_BYTES) {
      throw new AssertionError(what + " after " + last + " asked for " + allocated + " bytes");
    }
  }

  private static long allocatedBytes() {
    var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    return threads.getCurrentThreadAllocatedBytes();
  }

  @Override
  public void close() {
    try {
      file.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
