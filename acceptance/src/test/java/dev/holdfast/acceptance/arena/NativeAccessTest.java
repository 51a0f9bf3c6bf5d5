package dev.holdfast.acceptance.arena;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Parent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A JVM that refuses native access. */
@ExtendWith(Leftovers.class)
final class NativeAccessTest {

  @Test
  void firstArenaNamesTheFlagToSetWhenNativeAccessIsDenied() {
    try (ChildJvm child =
        ChildJvm.of(RefusedChild.class)
            .withoutNativeAccess()
            .jvmArgs("--illegal-native-access=deny")
            .start()) {
      for (int i = 0; i < 2; i++) {
        String said = child.awaitLine("REFUSED");
        assertTrue(said.contains("--enable-native-access=ALL-UNNAMED"), said);
      }
      child.awaitSuccess();
    }
  }

  /** Tries to make an arena twice. */
  static final class RefusedChild {
    private RefusedChild() {}

    public static void main(String[] arguments) {
      for (int i = 0; i < 2; i++) {
        try (SharedMemorySegmentPool pool = new SharedMemorySegmentPool(4096, 2)) {
          Parent.say("REFUSED not " + pool);
        } catch (RuntimeException | Error e) {
          Parent.say("REFUSED " + e);
        }
      }
    }
  }
}
