package dev.holdfast.examples;

import dev.holdfast.arena.ArenaWriter;
import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.arena.UnitReceipt;
import dev.holdfast.arena.ViewScope;
import java.io.DataOutputStream;
import java.io.ObjectInputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;

/**
 * The producer of {@link TwoProcesses}. Reads the arena from standard input and writes a message
 * for each unit to standard output.
 */
public final class Producer {
  private static final int UNITS = 12;
  private static final int LONGS = 100_000;

  private Producer() {}

  /**
   * Writes the units.
   *
   * @param args none
   * @throws Exception when the consumer cannot be talked to
   */
  public static void main(String[] args) throws Exception {
    SharedMemoryArena arena;
    try (ObjectInputStream input = new ObjectInputStream(System.in)) {
      arena = (SharedMemoryArena) input.readObject();
    }
    DataOutputStream messages = new DataOutputStream(System.out);
    try (arena;
        ArenaWriter writer = arena.openWriter()) {
      messages.writeInt(UNITS);
      for (int unit = 0; unit < UNITS; unit++) {
        send(writer, unit, messages);
      }
    }
  }

  private static void send(ArenaWriter writer, int unit, DataOutputStream messages)
      throws Exception {
    writer.beginUnit(); // waits here as long as the consumer has all segments

    // Memory of the unit itself, so nothing is copied. writeBinary copies what lies elsewhere.
    MemorySegment bytes =
        writer.allocate((long) LONGS * Long.BYTES, Long.BYTES, ViewScope.CONFINED);
    for (int i = 0; i < LONGS; i++) {
      bytes.setAtIndex(ValueLayout.JAVA_LONG, i, (long) unit * i);
    }
    long offset = Objects.requireNonNull(writer.placementOf(bytes)).offset();
    long byteSize = bytes.byteSize();

    UnitReceipt receipt = writer.commitUnit(); // the consumer can see it; bytes has ended
    byte[] receiptBytes = new byte[UnitReceipt.BYTES];
    receipt.encode(MemorySegment.ofArray(receiptBytes), 0);
    messages.write(receiptBytes);
    messages.writeLong(offset);
    messages.writeLong(byteSize);
    messages.flush();
  }
}
