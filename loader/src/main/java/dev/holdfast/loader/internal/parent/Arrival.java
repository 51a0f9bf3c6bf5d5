package dev.holdfast.loader.internal.parent;

import dev.holdfast.arena.UnitReceipt;
import dev.holdfast.arena.payload.Envelope;
import org.jspecify.annotations.Nullable;

/** What the next call of {@code next()} is about. */
public sealed interface Arrival {

  /**
   * An item, registered and with its unit admitted.
   *
   * @param envelope the item's record
   * @param receipt its unit, or null
   * @param index its place in the pass
   */
  record Item(Envelope envelope, @Nullable UnitReceipt receipt, long index) implements Arrival {}

  /**
   * What the next item of a region answers, or what is answered without one.
   *
   * @param bytes the record
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Answer(byte[] bytes) implements Arrival {}

  /**
   * An error in an item's place, thrown once.
   *
   * @param failure what to throw
   */
  record Failure(RuntimeException failure) implements Arrival {}

  /**
   * An error that every further call ends with.
   *
   * @param failure what to throw
   */
  record Lasting(RuntimeException failure) implements Arrival {}

  /** The end of the pass. */
  record End() implements Arrival {}
}
