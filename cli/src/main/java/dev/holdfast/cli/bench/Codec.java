package dev.holdfast.cli.bench;

import dev.holdfast.arena.payload.EnvelopeCodec;
import dev.holdfast.arena.payload.ItemCodec;
import dev.holdfast.arena.payload.PayloadHandlers;
import dev.holdfast.loader.CodecSource;

/** How what is not a payload is written, where a worker's channel carries items. */
public enum Codec {
  /** The compact form, the default of {@link ItemCodec}. */
  COMPACT,
  /** Java serialization. */
  JAVA;

  CodecSource source() {
    return switch (this) {
      case COMPACT -> ItemCodec::standard;
      case JAVA ->
          () -> ItemCodec.of(PayloadHandlers.standard(), EnvelopeCodec.javaSerialization());
    };
  }
}
