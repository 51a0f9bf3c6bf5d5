package dev.holdfast.acceptance.fire;

import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Parent;
import dev.holdfast.testkit.ProcSelf;
import java.io.UncheckedIOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** Takes in the orphans of its descendants, kills a parent, and says how its worker ended. */
final class ReaperMain {
  private static final int PR_SET_CHILD_SUBREAPER = 36;
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private ReaperMain() {}

  public static void main(String[] arguments) throws Exception {
    becomeReaper();
    try (ChildJvm parent =
        ChildJvm.of(StreamMain.class)
            .jvmArgs("-Xmx64m", "-XX:+UseSerialGC")
            .args(String.valueOf(Long.MAX_VALUE), "50000", "memfd", "pool")
            .start()) {
      long worker = Long.parseLong(parent.awaitLine("STREAMS "));
      ChildJvm.signal(worker, ChildJvm.SIGSTOP); // so that the kernel's own signal is not all
      long start = System.nanoTime();
      parent.killAndAwait();
      ChildJvm.signal(worker, ChildJvm.SIGCONT);
      while (lives(worker) && System.nanoTime() - start < LIMIT.toNanos()) {
        Thread.sleep(5);
      }
      Parent.say(
          "ORPHAN lives=" + lives(worker) + " millis=" + (System.nanoTime() - start) / 1_000_000);
    }
  }

  private static boolean lives(long pid) {
    try {
      return Files.exists(Path.of("/proc/" + pid)) && ProcSelf.state(pid) != 'Z';
    } catch (UncheckedIOException e) {
      return false; // it went between the two looks
    }
  }

  @SuppressWarnings("restricted") // what a container's init does
  private static void becomeReaper() throws Exception {
    MethodHandle prctl =
        Linker.nativeLinker()
            .downcallHandle(
                Linker.nativeLinker().defaultLookup().findOrThrow("prctl"),
                FunctionDescriptor.of(
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG),
                Linker.Option.firstVariadicArg(1));
    try {
      int result = (int) prctl.invokeExact(PR_SET_CHILD_SUBREAPER, 1L, 0L, 0L, 0L);
      if (result != 0) {
        throw new IllegalStateException("prctl: " + result);
      }
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }
}
