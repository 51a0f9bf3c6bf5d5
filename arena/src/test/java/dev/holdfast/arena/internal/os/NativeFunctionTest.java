package dev.holdfast.arena.internal.os;

import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.FullHeap;
import dev.holdfast.testkit.Leftovers;
import java.lang.foreign.Arena;
import java.lang.invoke.MethodHandle;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(Leftovers.class)
final class NativeFunctionTest {

  @Test
  void whatCouldNotBeBoundInAFullHeapIsBoundWhenThereIsRoom() {
    try (ChildJvm child = ChildJvm.of(Binding.class).jvmArgs(FullHeap.jvmArguments()).start()) {
      child.awaitSuccess();
    }
  }

  /** Binds a function that nobody has called yet. */
  static final class Binding {
    private Binding() {}

    public static void main(String[] arguments) throws Throwable {
      NativeFunction warm = NativeFunction.of("getpid", Natives.returnsInt());
      warm.bind();
      NativeFunction function = NativeFunction.of("getppid", Natives.returnsInt());
      boolean lacked = false;
      try (FullHeap _ = FullHeap.leaving(0)) {
        try {
          function.bind();
        } catch (OutOfMemoryError e) {
          lacked = true;
        }
      }
      assertTrue(lacked, "binding needs heap");
      MethodHandle bound = function.handle();
      assertSame(bound, function.handle());
      try (Arena arena = Arena.ofConfined()) {
        int parent = (int) bound.invokeExact(Natives.callState(arena));
        if (parent <= 0) {
          throw new AssertionError("no parent: " + parent);
        }
      }
    }
  }
}
