package dev.holdfast.arena;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.UUID;

/**
 * Which unit an envelope belongs to. A unit is found by the number in its receipt, never by
 * counting messages. Immutable; its encoded size is fixed, so that room for it can be kept before
 * it is known.
 *
 * @param arenaId the arena's identity
 * @param generation how often an endpoint of the arena had been taken over when the unit was
 *     committed
 * @param unit the unit's number, counted from 0 over the arena's whole life
 * @param span bytes that the unit takes: in a pool the end of its last binary within its segment
 */
public record UnitReceipt(UUID arenaId, long generation, long unit, long span) {

  /** Encoded size in bytes. */
  public static final int BYTES = 40;

  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  /**
   * Writes the encoded receipt.
   *
   * @param target where to; {@link #BYTES} bytes from {@code offset} on are overwritten
   * @param offset bytes from the start of {@code target}
   */
  public void encode(MemorySegment target, long offset) {
    target.set(LONG, offset, arenaId.getMostSignificantBits());
    target.set(LONG, offset + 8, arenaId.getLeastSignificantBits());
    target.set(LONG, offset + 16, generation);
    target.set(LONG, offset + 24, unit);
    target.set(LONG, offset + 32, span);
  }

  /**
   * Reads an encoded receipt. Nothing is checked here; {@link ArenaReader#admit} does.
   *
   * @param source where from
   * @param offset bytes from the start of {@code source}
   * @return the receipt
   */
  public static UnitReceipt decode(MemorySegment source, long offset) {
    return new UnitReceipt(
        new UUID(source.get(LONG, offset), source.get(LONG, offset + 8)),
        source.get(LONG, offset + 16),
        source.get(LONG, offset + 24),
        source.get(LONG, offset + 32));
  }
}
