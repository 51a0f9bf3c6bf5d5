package dev.holdfast.loader;

import dev.holdfast.arena.payload.ItemCodec;
import java.io.Serializable;

/**
 * Makes the codec of a channel, once in each of its two processes. Crosses to the worker by
 * serialization. For payload handlers of one's own.
 */
@FunctionalInterface
public interface CodecSource extends Serializable {

  /**
   * Returns the codec. Both processes must get equal ones.
   *
   * @return the codec
   */
  ItemCodec codec();
}
