package dev.holdfast.acceptance.model;

import dev.holdfast.arena.Placement;
import dev.holdfast.arena.UnitReceipt;
import java.lang.foreign.MemorySegment;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** Units as words of text between a test and its child processes. */
final class Wire {
  private static final String END = ".";

  private Wire() {}

  /** One binary a unit; the end mark tells a whole line from one that a kill has cut. */
  static String ofUnit(UnitReceipt receipt, Placement placement) {
    byte[] encoded = new byte[UnitReceipt.BYTES];
    receipt.encode(MemorySegment.ofArray(encoded), 0);
    return HexFormat.of().formatHex(encoded)
        + " "
        + placement.offset()
        + " "
        + placement.byteSize()
        + " "
        + END;
  }

  /** A unit that another process has committed. */
  record Received(UnitReceipt receipt, Placement placement) {}

  static @Nullable Received unit(String line) {
    String[] words = line.split(" ", -1);
    if (words.length != 4 || !words[3].equals(END)) {
      return null;
    }
    return new Received(
        UnitReceipt.decode(MemorySegment.ofArray(HexFormat.of().parseHex(words[0])), 0),
        new Placement(Long.parseLong(words[1]), Long.parseLong(words[2])));
  }
}
