package dev.holdfast.arena.payload;

import dev.holdfast.arena.ArenaWriter;
import dev.holdfast.arena.OpenUnit;
import java.io.IOException;
import java.io.ObjectInputFilter;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Turns items into records and records into items. Immutable; one codec serves any number of
 * channels, and both ends of a channel must use equal ones.
 */
@SuppressWarnings("exports") // the nullness annotations are not there at run time
public final class ItemCodec {

  /** From how many bytes on a binary goes to the arena. */
  public static final int OFFLOAD_THRESHOLD_BYTES = 4096;

  private static final ItemCodec STANDARD = of(PayloadHandlers.standard(), EnvelopeCodec.compact());

  private final PayloadHandlers handlers;
  private final EnvelopeCodec envelopes;

  private ItemCodec(PayloadHandlers handlers, EnvelopeCodec envelopes) {
    this.handlers = handlers;
    this.envelopes = envelopes;
  }

  /**
   * Makes a codec.
   *
   * @param handlers who claims binaries
   * @param envelopes how the rest is written
   * @return the codec
   */
  public static ItemCodec of(PayloadHandlers handlers, EnvelopeCodec envelopes) {
    return new ItemCodec(handlers, envelopes);
  }

  /**
   * Returns the codec with the standard handlers and the {@linkplain EnvelopeCodec#compact compact}
   * envelope codec.
   *
   * @return the codec
   */
  public static ItemCodec standard() {
    return STANDARD;
  }

  /**
   * Makes the sending end of a channel.
   *
   * @return an encoder that belongs to one thread
   */
  public Encoder newEncoder() {
    return new ItemEncoder(handlers, envelopes.newWriter());
  }

  /**
   * Makes the receiving end of a channel, which restores read-only buffers, segments and tensors.
   *
   * @param filter decides about classes, or null
   * @param loader where classes are looked up
   * @return a decoder
   */
  public Decoder newDecoder(@Nullable ObjectInputFilter filter, ClassLoader loader) {
    return newDecoder(filter, loader, false);
  }

  /**
   * Makes the receiving end of a channel.
   *
   * @param filter decides about classes, or null
   * @param loader where classes are looked up
   * @param writable whether copies of buffers, segments and tensors may be written; true when the
   *     arena was made with writable views, so that small and large ones follow one rule
   * @return a decoder
   */
  public Decoder newDecoder(
      @Nullable ObjectInputFilter filter, ClassLoader loader, boolean writable) {
    return new ItemDecoder(handlers, envelopes.newReader(filter, loader), writable);
  }

  /**
   * The sending end. Belongs to one thread. Each record that {@link #encode} returned is followed
   * by {@link #sent} or {@link #dropped} before the next one.
   */
  public interface Encoder {

    /**
     * Encodes an item as it is now. The caller begins the unit before and commits or aborts it
     * afterwards.
     *
     * @param item the item
     * @param writer where binaries go from {@link #OFFLOAD_THRESHOLD_BYTES} on, with its unit open;
     *     null keeps all of them in the record
     * @return the record, valid until the next call
     * @throws java.io.NotSerializableException when a part of the item cannot cross; the message
     *     names its class and its path
     * @throws java.io.InvalidObjectException when user code threw, or the item nests too deeply;
     *     the cause is what was thrown
     * @throws IOException when a payload's bytes cannot be had
     * @throws dev.holdfast.arena.UnitTooLargeException when the record would be longer than an
     *     array
     * @throws IllegalStateException when the record before was neither sent nor dropped
     */
    EncodedItem encode(@Nullable Object item, @Nullable ArenaWriter writer) throws IOException;

    /**
     * Says that the record was published.
     *
     * @throws IllegalStateException when there is no record to say it of
     */
    void sent();

    /** Says that the record was given up. Does nothing when there is none. */
    void dropped();
  }

  /**
   * The receiving end. {@link #register} belongs to the channel's thread, {@link #restore} to any.
   */
  public interface Decoder {

    /**
     * Takes note of a record, in the order of the channel, also when its item is then discarded.
     *
     * @param recordBytes the whole record; nothing of it is used after the call
     * @return the envelope, which any thread may restore
     * @throws dev.holdfast.arena.ArenaCorruptedException when the record is damaged
     */
    Envelope register(MemorySegment recordBytes);

    /**
     * Takes note of a record that is on the heap already, without copying it.
     *
     * @param recordBytes the whole record, which nobody changes any more
     * @return the envelope, which any thread may restore
     * @throws dev.holdfast.arena.ArenaCorruptedException when the record is damaged
     */
    Envelope register(byte[] recordBytes);

    /**
     * Makes the item. The caller ends the unit afterwards, also when this throws.
     *
     * @param envelope from {@link #register} of this decoder
     * @param unit the open unit with the binaries, which belongs to the calling thread; null when
     *     nothing was offloaded
     * @param mode what offloaded binaries become
     * @return the item
     * @throws java.io.InvalidClassException when a filter refused a class
     * @throws java.io.InvalidObjectException when user code threw, or the item nests too deeply
     * @throws IOException when the item cannot be made
     * @throws ClassNotFoundException when a class of the item is not known here
     * @throws dev.holdfast.arena.ArenaCorruptedException when the record is damaged or its numbers
     *     cannot be true
     */
    @Nullable Object restore(Envelope envelope, @Nullable OpenUnit unit, RestoreMode mode)
        throws IOException, ClassNotFoundException;
  }
}
