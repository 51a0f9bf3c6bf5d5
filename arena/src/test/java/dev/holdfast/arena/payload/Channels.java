package dev.holdfast.arena.payload;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Sends items from an encoder to a decoder within the test. */
final class Channels {
  private static final long CAPACITY = 1 << 20;

  private Channels() {}

  static Object roundTrip(ItemCodec codec, Object item, RestoreMode mode)
      throws IOException, ClassNotFoundException {
    ItemCodec.Encoder encoder = codec.newEncoder();
    ItemCodec.Decoder decoder = codec.newDecoder(null, loader());
    try (FakeUnit unit = new FakeUnit(CAPACITY)) {
      byte[] record = record(encoder, item, unit);
      encoder.sent();
      return decoder.restore(decoder.register(record), unit, mode);
    }
  }

  static byte[] record(ItemCodec.Encoder encoder, Object item, FakeUnit unit) throws IOException {
    EncodedItem encoded = encoder.encode(item, unit);
    return bytes(encoded);
  }

  static byte[] bytes(EncodedItem encoded) {
    MemorySegment bytes = encoded.bytes();
    return bytes.toArray(ValueLayout.JAVA_BYTE);
  }

  static ClassLoader loader() {
    return Channels.class.getClassLoader();
  }
}
