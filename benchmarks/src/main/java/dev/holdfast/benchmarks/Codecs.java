package dev.holdfast.benchmarks;

import dev.holdfast.arena.payload.EnvelopeCodec;
import dev.holdfast.arena.payload.ItemCodec;
import dev.holdfast.arena.payload.PayloadHandlers;

/** The codecs that are compared, all with the standard payload handlers. */
public enum Codecs {
  JAVA,
  COMPACT,
  KRYO,
  FORY;

  ItemCodec items() {
    EnvelopeCodec codec =
        switch (this) {
          case JAVA -> EnvelopeCodec.javaSerialization();
          case COMPACT -> EnvelopeCodec.compact();
          case KRYO -> new KryoEnvelopeCodec();
          case FORY -> new ForyEnvelopeCodec();
        };
    return ItemCodec.of(PayloadHandlers.standard(), codec);
  }
}
