package dev.holdfast.arena.payload;

import dev.holdfast.testkit.ChildJvm;
import java.io.InvalidClassException;
import java.util.List;
import org.junit.jupiter.api.Test;

class FilterOfTheJvmTest {

  @Test
  void theFilterOfTheJvmDecidesAboutClassesAndNotAboutBinaries() {
    ChildJvm.Builder child =
        ChildJvm.of(Main.class).jvmArgs("-Xmx64m", "-Djdk.serialFilter=java.util.*;java.lang.*;!*");
    try (ChildJvm running = child.start()) {
      running.awaitSuccess();
    }
  }

  /** The child: exits with 0 when everything was as it should be. */
  static final class Main {
    private Main() {}

    public static void main(String[] args) throws Exception {
      for (Envelopes envelopes : Envelopes.values()) {
        check(envelopes.items());
      }
    }

    private static void check(ItemCodec codec) throws Exception {
      Object item = List.of(1, Tensor.of(new float[2], 2), new float[5000]);
      if (!(roundTrip(codec, item) instanceof List<?> restored) || restored.size() != 3) {
        throw new AssertionError("the item did not arrive");
      }
      try {
        Object refused = roundTrip(codec, new Samples.Anything(1));
        throw new AssertionError("the class was not refused: " + refused.getClass());
      } catch (InvalidClassException e) {
        System.out.println("refused");
      }
    }

    private static Object roundTrip(ItemCodec codec, Object item) throws Exception {
      return Channels.roundTrip(codec, item, RestoreMode.HEAP_COPIES);
    }
  }
}
