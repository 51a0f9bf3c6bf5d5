package dev.holdfast.examples;

import dev.holdfast.arena.ArenaReader;
import dev.holdfast.arena.OpenUnit;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.arena.UnitLease;
import dev.holdfast.arena.UnitReceipt;
import dev.holdfast.arena.ViewScope;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;

/**
 * Uses an arena without the loader, between two processes that talk through a channel of their own:
 * here the pipes of a child process. {@link Producer} is the other side.
 *
 * <p>The arena carries the bytes. The channel carries for each unit what the consumer has to know:
 * the receipt, and where in the unit the bytes lie. Receipts have to arrive in order and none may
 * be lost; everything else about the channel is free.
 */
public final class TwoProcesses {
  private TwoProcesses() {}

  /**
   * Starts the producer and reads what it makes.
   *
   * @param args none
   * @throws Exception when the producer cannot be started or fails
   */
  public static void main(String[] args) throws Exception {
    try (SharedMemorySegmentPool pool = new SharedMemorySegmentPool(1 << 20, 4)) {
      Process producer = startProducer();
      try (ObjectOutputStream toProducer = new ObjectOutputStream(producer.getOutputStream())) {
        toProducer.writeObject(pool); // a description: the producer attaches to the same memory
      }
      try (DataInputStream messages = new DataInputStream(producer.getInputStream());
          ArenaReader reader = pool.openReader()) {
        consume(messages, reader);
      }
      System.out.println("producer ended with " + producer.waitFor());
      pool.unlink();
    }
  }

  private static void consume(DataInputStream messages, ArenaReader reader) throws IOException {
    byte[] receiptBytes = new byte[UnitReceipt.BYTES];
    int count = messages.readInt();
    for (int i = 0; i < count; i++) {
      messages.readFully(receiptBytes);
      long offset = messages.readLong();
      long byteSize = messages.readLong();

      UnitReceipt receipt = UnitReceipt.decode(MemorySegment.ofArray(receiptBytes), 0);
      reader.admit(receipt);
      System.out.println(
          "unit " + receipt.unit() + ": sum " + sum(reader, receipt, offset, byteSize));
    }
  }

  /** Opens a unit, reads it where it lies, and gives it back. */
  private static long sum(ArenaReader reader, UnitReceipt receipt, long offset, long byteSize) {
    OpenUnit open = reader.beginUnit(receipt, ViewScope.CONFINED);
    MemorySegment view;
    UnitLease lease;
    try {
      view = open.readBinary(offset, byteSize);
    } finally {
      lease = open.endUnit(List.of()); // exactly once for each unit, also when reading failed
    }
    try (lease) {
      return view.elements(ValueLayout.JAVA_LONG)
          .mapToLong(word -> word.get(ValueLayout.JAVA_LONG, 0))
          .sum();
    }
  }

  private static Process startProducer() throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            System.getProperty("java.class.path"),
            Producer.class.getName())
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }
}
