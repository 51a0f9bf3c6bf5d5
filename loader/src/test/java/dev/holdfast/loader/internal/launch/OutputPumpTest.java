package dev.holdfast.loader.internal.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.internal.os.Descriptors;
import dev.holdfast.testkit.Deadlines;
import java.io.ByteArrayOutputStream;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

/** How the output of a worker gets where it goes, and who waits for it. */
final class OutputPumpTest {
  private static final int BYTES = 40_000;

  /** Takes its time for each piece, as a busy machine does. */
  private static final class Slow extends ByteArrayOutputStream {
    @Override
    public synchronized void write(byte[] bytes, int offset, int count) {
      Deadlines.pause(Duration.ofMillis(30));
      super.write(bytes, offset, count);
    }
  }

  private static OutputStream writeEnd(int descriptor) throws IOException {
    try {
      return new FileOutputStream("/proc/self/fd/" + descriptor);
    } finally {
      Descriptors.close(descriptor);
    }
  }

  private static InputStream readEnd(int descriptor) throws IOException {
    InputStream reader = new FileInputStream("/proc/self/fd/" + descriptor);
    Descriptors.close(descriptor);
    return reader;
  }

  /** What a process wrote that has ended. */
  private static InputStream written() throws IOException {
    int[] ends = Descriptors.pipe();
    InputStream reader = readEnd(ends[0]);
    try (OutputStream writer = writeEnd(ends[1])) {
      writer.write(new byte[BYTES]);
    }
    return reader;
  }

  private static long inAMinute() {
    return System.nanoTime() + Duration.ofMinutes(1).toNanos();
  }

  @Test
  void anInterruptedThreadWaitsTooAndIsInterruptedAfterwards() throws IOException {
    Slow target = new Slow();
    OutputPump pump = OutputPump.start("pump", written(), target);
    Thread.currentThread().interrupt();
    pump.awaitDrained(inAMinute());
    assertTrue(Thread.interrupted());
    assertEquals(BYTES, target.size());
  }

  @Test
  void aGrandchildThatWritesOnAndOnIsNotWaitedForBeyondTheLimit() throws Exception {
    int[] ends = Descriptors.pipe();
    InputStream reader = readEnd(ends[0]);
    try (OutputStream writer = writeEnd(ends[1])) {
      OutputPump pump = OutputPump.start("pump", reader, OutputStream.nullOutputStream());
      FutureTask<Void> chatter =
          Deadlines.start(
              "chatter",
              () -> {
                while (!Thread.interrupted()) {
                  writer.write(1);
                }
                return null;
              });
      long start = System.nanoTime();
      pump.awaitDrained(start + Duration.ofMillis(300).toNanos());
      assertTrue(System.nanoTime() - start < Duration.ofMinutes(1).toNanos());
      assertTrue(chatter.cancel(true));
    }
  }

  @Test
  void allThatWasWrittenBeforeTheEndIsWaitedFor() throws IOException {
    Slow target = new Slow();
    OutputPump pump = OutputPump.start("pump", written(), target);
    pump.awaitDrained(inAMinute());
    assertEquals(BYTES, target.size());
  }

  @Test
  void whereTheStreamIsKeptOpenWhatHasComeIsWaitedForAndNoEnd() throws IOException {
    int[] ends = Descriptors.pipe();
    InputStream reader = readEnd(ends[0]);
    try (OutputStream writer = writeEnd(ends[1])) {
      writer.write(new byte[BYTES]);
      Slow target = new Slow();
      long start = System.nanoTime();
      OutputPump pump = OutputPump.start("pump", reader, target);
      pump.awaitDrained(inAMinute());
      assertEquals(BYTES, target.size());
      assertTrue(System.nanoTime() - start < Duration.ofMinutes(1).toNanos());
    }
  }
}
