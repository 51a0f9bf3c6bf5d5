package dev.holdfast.arena.payload;

/** The codecs of envelopes that the tests run with. */
enum Envelopes {
  JAVA,
  COMPACT;

  EnvelopeCodec codec() {
    return switch (this) {
      case JAVA -> EnvelopeCodec.javaSerialization();
      case COMPACT -> EnvelopeCodec.compact();
    };
  }

  ItemCodec items() {
    return ItemCodec.of(PayloadHandlers.standard(), codec());
  }
}
