package dev.holdfast.cli.bench;

import dev.holdfast.arena.payload.ElementType;
import dev.holdfast.arena.payload.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.Map;

/**
 * Items as Java serialization can write them: buffers as byte arrays, tensors as float arrays, all
 * else as it is. Arrays are used again for each item. Belongs to one thread.
 */
final class PlainItems {
  private static final ValueLayout.OfFloat FLOAT =
      ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final Payload payload;
  private byte[] bytes = {};
  private float[] floats = {};

  PlainItems(Payload payload) {
    this.payload = payload;
  }

  /** Returns what is written for an item. */
  Object plain(Object item) {
    return switch (payload) {
      case BYTES, FLOATS -> item;
      case BUFFER -> bytes((ByteBuffer) item);
      case TENSOR -> floats((Tensor) item);
      case MAP -> {
        Map<Object, Object> map = new HashMap<>((Map<?, ?>) item);
        map.replaceAll((_, value) -> value instanceof Tensor tensor ? floats(tensor) : value);
        yield map;
      }
    };
  }

  /** Returns the item for what was read. */
  Object item(Object plain) {
    return switch (payload) {
      case BYTES, FLOATS -> plain;
      case BUFFER -> ByteBuffer.wrap((byte[]) plain);
      case TENSOR -> tensor(plain);
      case MAP -> {
        Map<Object, Object> map = new HashMap<>((Map<?, ?>) plain);
        map.computeIfPresent(Payload.TENSOR_KEY, (_, value) -> tensor(value));
        yield map;
      }
    };
  }

  private byte[] bytes(ByteBuffer buffer) {
    if (bytes.length != buffer.remaining()) {
      bytes = new byte[buffer.remaining()];
    }
    buffer.duplicate().get(bytes);
    return bytes;
  }

  private float[] floats(Tensor tensor) {
    MemorySegment segment = tensor.segment();
    int count = Math.toIntExact(segment.byteSize() / Float.BYTES);
    if (floats.length != count) {
      floats = new float[count];
    }
    MemorySegment.copy(segment, FLOAT, 0, floats, 0, count);
    return floats;
  }

  private static Tensor tensor(Object plain) {
    float[] values = (float[]) plain;
    return Tensor.of(ElementType.FLOAT32, MemorySegment.ofArray(values), values.length);
  }
}
