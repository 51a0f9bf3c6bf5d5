package dev.holdfast.benchmarks;

import dev.holdfast.arena.payload.Tensor;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The items that are sent. */
public enum Payload {
  /** Two small values and 64 KiB of numbers. */
  MAP,
  /** The same as a record. */
  RECORD,
  /** A hundred small records in a list, no binary. */
  LIST,
  /** One number. */
  NUMBER;

  private static final int FLOATS = 16 << 10;

  /** What a picture is with its label. */
  public record Sample(int index, String label, Tensor picture) implements Serializable {}

  /** A box in a picture. */
  public record Box(int x, int y, double score, String kind) implements Serializable {}

  Object item() {
    Tensor picture = Tensor.of(new float[FLOATS], 128, 128);
    return switch (this) {
      case MAP -> new HashMap<>(Map.of("index", 123456, "label", "tabby cat", "picture", picture));
      case RECORD -> new Sample(123456, "tabby cat", picture);
      case LIST -> {
        List<Box> boxes = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
          boxes.add(new Box(i, 1000 - i, i / 100.0, i % 2 == 0 ? "cat" : "dog"));
        }
        yield boxes;
      }
      case NUMBER -> 123456;
    };
  }
}
