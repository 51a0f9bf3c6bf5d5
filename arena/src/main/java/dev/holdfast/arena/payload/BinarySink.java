package dev.holdfast.arena.payload;

import java.io.IOException;

/**
 * Takes the binaries out of an item while an {@link EnvelopeCodec} writes it. Used by the thread
 * that encodes, during one {@link EnvelopeCodec.Writer#write}.
 */
public interface BinarySink {

  /** The answer for an object that is no binary: the codec writes it itself. */
  int INLINE = -1;

  /**
   * Offers an object before it is written. Every object of the item is offered, strings and boxed
   * values may be left out. The same object gets the same number each time.
   *
   * @param leaf the object
   * @return the number of its marker, counted from 0 in the order of first offers, or {@link
   *     #INLINE}
   * @throws IOException when the object's bytes cannot be had
   */
  int offer(Object leaf) throws IOException;
}
