package dev.holdfast.arena.internal.os;

/**
 * Tests before the first native call whether this module may make any. See "Restricted methods" in
 * the documentation of {@code java.lang.foreign}.
 */
public final class NativeAccess {
  private NativeAccess() {}

  /**
   * Returns the flag that permits native access to this module.
   *
   * @return the flag, as the module is loaded now
   */
  public static String flag() {
    Module module = NativeAccess.class.getModule();
    return "--enable-native-access=" + (module.isNamed() ? module.getName() : "ALL-UNNAMED");
  }

  /**
   * Fails where Holdfast cannot run, and when the JVM refuses native access. To be called at each
   * way in, ahead of the first native call, so that the error is this one and not one of class
   * initialization.
   *
   * @throws UnsupportedOperationException when access is refused; the message has the flag to set
   */
  public static void require() {
    String machine = System.getProperty("os.name") + " on " + System.getProperty("os.arch");
    if (!machine.equals("Linux on amd64") && !machine.equals("Linux on aarch64")) {
      throw new UnsupportedOperationException(
          "Holdfast runs on Linux on amd64 or aarch64: machine=" + machine);
    }
    Module module = NativeAccess.class.getModule();
    if (!module.isNativeAccessEnabled() && isDenied()) {
      throw new UnsupportedOperationException(
          "native access is refused: module="
              + (module.isNamed() ? module.getName() : "ALL-UNNAMED")
              + "; start the JVM with "
              + flag());
    }
  }

  private static boolean isDenied() {
    // The mode has no API of its own; a harmless restricted call tells (JEP 472).
    try {
      probe();
      return false;
    } catch (IllegalCallerException e) {
      return true;
    }
  }

  @SuppressWarnings("restricted")
  private static void probe() {
    var _ = java.lang.foreign.MemorySegment.NULL.reinterpret(0);
  }
}
