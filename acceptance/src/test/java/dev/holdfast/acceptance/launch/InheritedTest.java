package dev.holdfast.acceptance.launch;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.testkit.Leftovers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What a worker inherits of the options and the environment of its parent. */
@ExtendWith(Leftovers.class)
@Timeout(300)
final class InheritedTest {
  @TempDir private Path folder;

  private Application.Said run(List<String> options, List<String> workers, String... environment)
      throws Exception {
    Application app = Application.compile(folder, false);
    List<String> arguments = new ArrayList<>(options);
    arguments.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-cp"));
    arguments.add(app.classes() + ":" + Application.ours());
    arguments.add(Application.MAIN);
    arguments.addAll(workers);
    return Application.run(folder, arguments, environment);
  }

  // R57
  @Test
  void debuggersAgentsHeapsAndPropertiesStayInTheParent() throws Exception {
    Application.Said said =
        run(
            List.of(
                "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0",
                "-Dcom.sun.management.jmxremote.port=0",
                "-Dcom.sun.management.jmxremote.authenticate=false",
                "-Dcom.sun.management.jmxremote.ssl=false",
                "-Xmx700m",
                "-XX:+HeapDumpOnOutOfMemoryError",
                "-Dnot.inherited=true",
                "-Dfile.encoding=ISO-8859-1"),
            List.of());
    assertTrue(said.parent().contains("inherited=true"), said::parent);
    assertTrue(said.worker().contains("inherited=null"), said::worker);
    assertTrue(said.lines().contains("SAME TEXT true"), said.lines()::toString);
    for (String option : List.of("jdwp", "jmxremote", "-Xmx", "HeapDump", "file.encoding")) {
      assertTrue(said.parent().contains(option), said::parent);
      assertFalse(said.worker().contains(option), said::worker);
    }
  }

  @Test
  void whatClassesNeedToBeLinkedIsInherited() throws Exception {
    Application.Said said =
        run(
            List.of(
                "--enable-preview",
                "--add-opens",
                "java.base/java.lang=ALL-UNNAMED",
                "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED"),
            List.of("-Xmx123m", "-Dnot.inherited=given"));
    for (String option :
        List.of(
            "--enable-preview",
            "--add-opens=java.base/java.lang=ALL-UNNAMED",
            "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED",
            "-Xmx123m")) {
      assertTrue(said.worker().contains(option), said::worker);
    }
    assertTrue(said.worker().contains("inherited=given"), said::worker);
  }

  // R57
  @Test
  void variablesThatCarryOptionsAreLeftOutAndALocaleOfAsciiChangesNoText() throws Exception {
    Application.Said said =
        run(
            List.of(),
            List.of(),
            "JAVA_TOOL_OPTIONS",
            "-Dnot.inherited=tool",
            "JDK_JAVA_OPTIONS",
            "-Dnot.also=jdk",
            "LANG",
            "C",
            "LC_ALL",
            "C");
    assertTrue(said.parent().contains("inherited=tool"), said::parent);
    assertTrue(said.parent().contains("-Dnot.also=jdk"), said::parent);
    assertTrue(said.worker().contains("inherited=null"), said::worker);
    assertFalse(said.worker().contains("-Dnot"), said::worker);
    assertTrue(said.lines().contains("SAME TEXT true"), said.lines()::toString);
  }
}
