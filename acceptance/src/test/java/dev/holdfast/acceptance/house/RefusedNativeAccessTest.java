package dev.holdfast.acceptance.house;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Leftovers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(Leftovers.class)
final class RefusedNativeAccessTest {

  static final class MakesAPoolTwice {
    private MakesAPoolTwice() {}

    public static void main(String[] args) {
      for (int attempt = 0; attempt < 2; attempt++) {
        try {
          new SharedMemorySegmentPool(4096, 1).close();
        } catch (UnsupportedOperationException e) {
          System.out.println("refused: " + e.getMessage());
        }
      }
      System.out.println("done");
    }
  }

  @Test
  void firstArenaNamesTheFlagEachTimeItIsAskedFor() {
    try (ChildJvm child =
        ChildJvm.of(MakesAPoolTwice.class)
            .withoutNativeAccess()
            .jvmArgs("--illegal-native-access=deny")
            .start()) {
      child.awaitLine("done");
      child.awaitSuccess();
      assertEquals(
          2,
          child
              .output()
              .lines()
              .filter(line -> line.startsWith("refused: "))
              .filter(line -> line.contains("--enable-native-access=ALL-UNNAMED"))
              .count());
    }
  }

  @Test
  void withTheFlagItIsNotRefused() {
    try (ChildJvm child =
        ChildJvm.of(MakesAPoolTwice.class).jvmArgs("--illegal-native-access=deny").start()) {
      child.awaitLine("done");
      child.awaitSuccess();
      assertTrue(!child.output().contains("refused"), child.output());
    }
  }
}
