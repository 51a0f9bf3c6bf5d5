package dev.holdfast.acceptance.capacity;

import dev.holdfast.testkit.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Processes of a user who owns nothing here. */
public final class OtherUser {
  /** The number of the user. */
  public static final int ID = 65534;

  private static final String[] BECOME = {
    "setpriv", "--reuid=" + ID, "--regid=" + ID, "--clear-groups"
  };

  private OtherUser() {}

  /** Skips the test where the machine does not let it become another user. */
  public static void assumeThere() {
    Probe.assumeWorks(BECOME[0], BECOME[1], BECOME[2], BECOME[3], "true");
  }

  /**
   * Lets everybody into a folder as into {@code /dev/shm}: who made a file removes it. What the
   * kernel forbids there besides, {@code fs.protected_regular}, is a setting of the whole machine
   * and left as it is.
   *
   * @param folder the folder
   */
  public static void letInto(Path folder) throws IOException {
    Files.setAttribute(folder, "unix:mode", 01777);
  }

  /**
   * Starts a main class as the other user.
   *
   * @param main the class
   * @param arguments its arguments
   */
  public static ChildJvm start(Class<?> main, String... arguments) {
    return ChildJvm.of(main)
        .prefix(BECOME)
        .jvmArgs("-Xmx64m", "-XX:+UseSerialGC", "-XX:-UsePerfData")
        .args(arguments)
        .start();
  }
}
