package dev.holdfast.arena.payload;

import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputFilter;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Writes what is left of an item when its binaries are taken out, and reads it back. A codec makes
 * one writer and one reader for each channel, so that they can agree on definitions that cross only
 * once.
 *
 * <p>Such definitions (class descriptors, for example) travel in the head of the record that needs
 * them first. The reader is told about every head in the order of the channel, also when the item
 * behind it is never read, so that items can be read in any order.
 */
@SuppressWarnings("exports") // the nullness annotations are not there at run time
public interface EnvelopeCodec {

  /**
   * Returns the codec that writes the common shapes by itself: null, strings, boxed values, enum
   * constants, {@code ArrayList}, {@code HashMap}, {@code LinkedHashMap}, {@code TreeMap} in
   * natural order, {@code HashSet}, {@code LinkedHashSet}, the collections of {@code List.of},
   * {@code Set.of}, {@code Map.of} and {@code Stream.toList}, arrays of objects, and serializable
   * records. Any other object goes through Java serialization, with all that it refers to, and so
   * do records with a {@code writeReplace}, {@code readResolve} or {@code Externalizable} of their
   * own, records of packages that are not open to this module, maps with a comparator or in access
   * order, and subclasses of the collections.
   *
   * <p>Items come back as from {@link #javaSerialization}, with the same classes, the same order of
   * elements and the same cycles; filters are asked about the same classes and array lengths. An
   * object that occurs twice in an item arrives as one object. There are three exceptions: boxed
   * values are told by value alone; strings and the collections of {@code List.of} and kin that
   * occur both inside and outside an object that needs Java serialization arrive once for each; and
   * a cycle through such a collection is an error when it is written. A load factor of one's own
   * does not cross.
   *
   * @return the codec, which has no state
   */
  static EnvelopeCodec compact() {
    return CompactEnvelopeCodec.INSTANCE;
  }

  /**
   * Returns the codec that uses Java serialization for everything but the binaries.
   *
   * @return the codec, which has no state
   */
  static EnvelopeCodec javaSerialization() {
    return JavaEnvelopeCodec.INSTANCE;
  }

  /**
   * Makes the writing end of a channel.
   *
   * @return a writer that belongs to one thread
   */
  Writer newWriter();

  /**
   * Makes the reading end of a channel.
   *
   * @param filter decides about classes, or null; the filter of the JVM is asked in any case, and
   *     neither is asked about markers
   * @param loader where classes are looked up
   * @return a reader
   */
  Reader newReader(@Nullable ObjectInputFilter filter, ClassLoader loader);

  /** The writing end. Belongs to one thread. */
  interface Writer {

    /**
     * Writes an item. When it throws, nothing of the item remains in the writer.
     *
     * @param item the item
     * @param sink is offered each object before it is written
     * @param body where to; not closed
     * @throws IOException when a part of the item cannot be written
     */
    void write(@Nullable Object item, BinarySink sink, OutputStream body) throws IOException;

    /**
     * Writes the definitions that the item written last was the first to need. Nothing is written
     * when there are none.
     *
     * @param head where to; not closed
     * @throws IOException when it cannot be written
     */
    void writeHead(OutputStream head) throws IOException;

    /**
     * Says that the item written last has left: its definitions are known to the other side from
     * now on.
     */
    void sent();

    /** Says that the item written last does not leave: its definitions are forgotten. */
    void dropped();
  }

  /**
   * The reading end. {@link #register} belongs to the channel's thread; items are read by any
   * thread.
   */
  interface Reader {

    /**
     * Takes note of a head. Heads come in the order of the channel; nothing is resolved yet.
     *
     * @param head what {@link Writer#writeHead} wrote, not empty
     * @throws dev.holdfast.arena.ArenaCorruptedException when it is damaged or not the next one
     */
    void register(byte[] head);

    /**
     * Reads an item.
     *
     * @param body what {@link Writer#write} wrote; {@link InputStream#available} answers exactly
     *     how many bytes are left
     * @param source gives the binaries
     * @return the item
     * @throws IOException when the item cannot be made, {@link java.io.InvalidClassException} when
     *     a filter refused a class
     * @throws ClassNotFoundException when the loader does not know a class
     * @throws dev.holdfast.arena.ArenaCorruptedException when the bytes are damaged
     */
    @Nullable Object read(InputStream body, BinarySource source)
        throws IOException, ClassNotFoundException;
  }
}
