package dev.holdfast.arena.payload;

import java.io.IOException;

/**
 * Gives the binaries of an item back while an {@link EnvelopeCodec} reads it. Used by the thread
 * that restores, during one {@link EnvelopeCodec.Reader#read}.
 */
public interface BinarySource {

  /**
   * Returns the object behind a marker. The same number gives the same object each time.
   *
   * @param number what {@link BinarySink#offer} had answered
   * @return the object
   * @throws IOException when the object cannot be made
   * @throws dev.holdfast.arena.ArenaCorruptedException when there is no such marker or its numbers
   *     cannot be true
   */
  Object binary(int number) throws IOException;
}
