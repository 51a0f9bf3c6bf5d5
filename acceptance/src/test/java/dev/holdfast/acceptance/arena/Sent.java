package dev.holdfast.acceptance.arena;

import dev.holdfast.arena.Placement;
import dev.holdfast.arena.UnitReceipt;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * What a test knows about a committed unit: receipt, places of its binaries, and the stamp they
 * carry. Crosses between processes as one word of text.
 */
public record Sent(UnitReceipt receipt, List<Placement> placements, long stamp, long epoch) {

  /** Binaries of one unit differ in the epoch of their stamps. */
  public static long epochOf(long epoch, int binary) {
    return epoch * 16 + binary;
  }

  /** Returns it as one word. */
  public String text() {
    byte[] encoded = new byte[UnitReceipt.BYTES];
    receipt.encode(MemorySegment.ofArray(encoded), 0);
    StringBuilder text = new StringBuilder(HexFormat.of().formatHex(encoded));
    text.append(':').append(stamp).append(':').append(epoch);
    for (Placement placement : placements) {
      text.append(':').append(placement.offset()).append('+').append(placement.byteSize());
    }
    return text.toString();
  }

  static Sent parse(String text) {
    String[] parts = text.split(":", -1);
    byte[] encoded = HexFormat.of().parseHex(parts[0]);
    List<Placement> placements = new ArrayList<>();
    for (int i = 3; i < parts.length; i++) {
      int plus = parts[i].indexOf('+');
      placements.add(
          new Placement(
              Long.parseLong(parts[i].substring(0, plus)),
              Long.parseLong(parts[i].substring(plus + 1))));
    }
    return new Sent(
        UnitReceipt.decode(MemorySegment.ofArray(encoded), 0),
        List.copyOf(placements),
        Long.parseLong(parts[1]),
        Long.parseLong(parts[2]));
  }

  /** The same with another unit number in the receipt. */
  Sent withUnit(long unit) {
    UnitReceipt forged =
        new UnitReceipt(receipt.arenaId(), receipt.generation(), unit, receipt.span());
    return new Sent(forged, placements, stamp, epoch);
  }
}
