package dev.holdfast.acceptance.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Leftovers;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Parents that were started with options that a second process must not have. */
@ExtendWith(Leftovers.class)
@Timeout(180)
final class InheritedOptionsTest {
  @TempDir private Path folder;

  // R57
  @Test
  void aDebuggerStaysWithTheParent() throws IOException {
    String debugger =
        "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:" + freePort();
    String worker = run(ChildJvm.of(OptionsMain.class).jvmArgs(debugger), false);
    assertFalse(worker.contains("jdwp"), worker);
  }

  // R57
  @Test
  void managementPortsStayWithTheParent() throws IOException {
    String worker =
        run(
            ChildJvm.of(OptionsMain.class)
                .jvmArgs(
                    "-Dcom.sun.management.jmxremote.port=" + freePort(),
                    "-Dcom.sun.management.jmxremote.authenticate=false",
                    "-Dcom.sun.management.jmxremote.ssl=false"),
            false);
    assertFalse(worker.contains("jmxremote"), worker);
  }

  // R57
  @Test
  void anAgentThatBindsAPortStaysWithTheParent() throws IOException {
    Path jar = folder.resolve("agent.jar");
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().putValue("Premain-Class", PortAgent.class.getName());
    try (OutputStream file = Files.newOutputStream(jar);
        JarOutputStream out = new JarOutputStream(file, manifest)) {
      out.finish();
    }
    String worker =
        run(ChildJvm.of(OptionsMain.class).jvmArgs("-javaagent:" + jar + "=" + freePort()), false);
    assertFalse(worker.contains("javaagent"), worker);
  }

  // R57
  @Test
  void theHeapAndItsDumpsStayWithTheParent() {
    long most = physicalMebibytes() * 8 / 10;
    String worker =
        run(
            ChildJvm.of(OptionsMain.class)
                .jvmArgs(
                    "-Xmx" + most + "m",
                    "-XX:+HeapDumpOnOutOfMemoryError",
                    "-XX:HeapDumpPath=" + folder),
            false);
    assertFalse(worker.contains("-Xmx" + most), worker);
    assertFalse(worker.contains("HeapDump"), worker);
    assertTrue(worker.contains("-Xmx77m"), worker);
    assertTrue(worker.contains("heap=small"), worker);
  }

  // R57
  @Test
  void optionsInTheEnvironmentAreStrippedUnlessTheyAreAskedFor() {
    String stripped = run(withToolOptions(), false);
    assertTrue(stripped.contains("tool=null launcher=null"), stripped);

    String kept = run(withToolOptions(), true);
    assertTrue(kept.contains("tool=yes launcher=yes"), kept);
  }

  // R57
  @Test
  void anotherEncodingAndLocaleChangeNoText() {
    ChildJvm.Builder parent =
        ChildJvm.of(OptionsMain.class)
            .jvmArgs("-Dfile.encoding=ISO-8859-1", "-Dstdout.encoding=US-ASCII")
            .environment("LANG", "C")
            .environment("LC_ALL", "C");
    String worker = run(parent, false);
    assertFalse(worker.contains("encoding"), worker);
  }

  private static ChildJvm.Builder withToolOptions() {
    return ChildJvm.of(OptionsMain.class)
        .environment("JAVA_TOOL_OPTIONS", "-Dholdfast.test.tool=yes")
        .environment("JDK_JAVA_OPTIONS", "-Dholdfast.test.launcher=yes");
  }

  /** Runs a parent whose worker must work, and returns what the worker says of itself. */
  private static String run(ChildJvm.Builder builder, boolean keepsToolOptions) {
    try (ChildJvm parent = builder.args(String.valueOf(keepsToolOptions)).start()) {
      String worker = parent.awaitLine("WORKER ");
      assertEquals("yes", parent.awaitLine("TEXTS EQUAL "));
      parent.awaitSuccess();
      return worker;
    }
  }

  private static long physicalMebibytes() {
    try {
      String line = Files.readAllLines(Path.of("/proc/meminfo")).getFirst();
      return Long.parseLong(line.replaceAll("\\D", "")) >> 10;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
