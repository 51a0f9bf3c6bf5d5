package dev.holdfast.cli.bench;

import dev.holdfast.arena.payload.ElementType;
import dev.holdfast.arena.payload.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** What an item of a cell is. All kinds carry one run of bytes of the cell's size. */
public enum Payload {
  /** A direct byte buffer; arrives as a view. */
  BUFFER,
  /** A tensor of 32-bit floats; arrives as a view. */
  TENSOR,
  /** A byte array; arrives as a heap copy. */
  BYTES,
  /** An array of 32-bit floats; arrives as a heap copy. */
  FLOATS,
  /** A map of two small values and one tensor. */
  MAP;

  private static final String NUMBER = "number";
  private static final String LABEL = "label";
  static final String TENSOR_KEY = "tensor";

  /**
   * Returns the kind's name as options and reports have it.
   *
   * @return the name in lower case
   */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Returns what the size of an item must be a multiple of.
   *
   * @return bytes
   */
  public int granularity() {
    return switch (this) {
      case BUFFER, BYTES -> 1;
      case FLOATS, TENSOR, MAP -> Float.BYTES;
    };
  }

  /**
   * Returns whether an item is made around memory that is not copied.
   *
   * @return false for what only lies on the heap
   */
  public boolean aliases() {
    return this != BYTES && this != FLOATS;
  }

  /**
   * Makes the bytes that a producer stamps and sends again and again.
   *
   * @param sizeBytes their number
   * @return memory of the kind that items of this payload are made of, kept by what is reachable
   *     from it
   */
  public MemorySegment newBytes(long sizeBytes) {
    return switch (this) {
      case BYTES -> MemorySegment.ofArray(new byte[Math.toIntExact(sizeBytes)]);
      case FLOATS -> MemorySegment.ofArray(new float[Math.toIntExact(sizeBytes / Float.BYTES)]);
      case BUFFER, TENSOR, MAP -> Arena.ofAuto().allocate(sizeBytes, 64);
    };
  }

  /**
   * Makes an item around stamped bytes, copying nothing.
   *
   * @param bytes from {@link #newBytes}
   * @param plan the pass
   * @param unit the item's number in its pass
   * @return the item
   */
  public Object item(MemorySegment bytes, PassPlan plan, int unit) {
    return switch (this) {
      case BUFFER -> bytes.asByteBuffer();
      case TENSOR -> tensor(bytes);
      case BYTES, FLOATS -> bytes.heapBase().orElseThrow();
      case MAP -> {
        Map<String, Object> map = new HashMap<>();
        map.put(NUMBER, unit);
        map.put(LABEL, label(plan, unit));
        map.put(TENSOR_KEY, tensor(bytes));
        yield map;
      }
    };
  }

  /**
   * Looks at a delivered item.
   *
   * @param item what came, or the bytes alone for transports without items
   * @param plan the pass
   * @param unit the number that the item should have
   * @return its bytes
   * @throws IllegalStateException when the item is of another kind, or its small values are wrong
   */
  public MemorySegment bytesOf(Object item, PassPlan plan, int unit) {
    if (item instanceof MemorySegment bytes) {
      return bytes;
    }
    if (this == BUFFER && item instanceof ByteBuffer buffer) {
      return MemorySegment.ofBuffer(buffer);
    }
    if (this == TENSOR && item instanceof Tensor tensor) {
      return tensor.segment();
    }
    if (this == BYTES && item instanceof byte[] bytes) {
      return MemorySegment.ofArray(bytes);
    }
    if (this == FLOATS && item instanceof float[] floats) {
      return MemorySegment.ofArray(floats);
    }
    if (this == MAP
        && item instanceof Map<?, ?> map
        && Integer.valueOf(unit).equals(map.get(NUMBER))
        && label(plan, unit).equals(map.get(LABEL))
        && map.get(TENSOR_KEY) instanceof Tensor tensor) {
      return tensor.segment();
    }
    throw new IllegalStateException(
        "a wrong item came: payload="
            + label()
            + " unit="
            + unit
            + " class="
            + item.getClass().getName());
  }

  private static String label(PassPlan plan, int unit) {
    return plan.number() + "/" + unit;
  }

  private static Tensor tensor(MemorySegment bytes) {
    return Tensor.of(ElementType.FLOAT32, bytes, bytes.byteSize() / Float.BYTES);
  }
}
