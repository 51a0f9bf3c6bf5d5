package dev.holdfast.testkit;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;

/**
 * A process group of this JVM's own. Processes stay in the group that they were started in when
 * their parent dies, so the group tells what this JVM's tests have left behind from what belongs to
 * a JVM that runs other tests at the same time.
 */
final class OwnGroup {
  private OwnGroup() {}

  /** Makes this JVM the first of a new group, unless it is one already. */
  @SuppressWarnings("restricted") // tests may call the C library
  static void enter() {
    Linker linker = Linker.nativeLinker();
    var setpgid =
        linker.downcallHandle(
            linker.defaultLookup().findOrThrow("setpgid"),
            FunctionDescriptor.of(
                ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
    int result;
    try {
      result = (int) setpgid.invokeExact(0, 0);
    } catch (Throwable e) {
      throw new IllegalStateException("setpgid could not be called", e);
    }
    long self = ProcessHandle.current().pid();
    if (result != 0 && ProcSelf.processGroup(self) != self) {
      throw new IllegalStateException("setpgid failed: pid=" + self);
    }
  }
}
