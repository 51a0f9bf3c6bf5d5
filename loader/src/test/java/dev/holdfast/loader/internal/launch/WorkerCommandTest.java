package dev.holdfast.loader.internal.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.loader.SubprocessOptions;
import java.util.List;
import org.junit.jupiter.api.Test;

class WorkerCommandTest {

  // R57
  @Test
  void onlyWhatClassesNeedIsInherited() {
    List<String> arguments =
        List.of(
            "-Xmx20g",
            "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:5005",
            "-javaagent:/x.jar=a,b",
            "-Dcom.sun.management.jmxremote.port=9999",
            "-Dfile.encoding=ISO-8859-1",
            "-XX:+HeapDumpOnOutOfMemoryError",
            "--enable-preview",
            "--add-opens=java.base/java.nio=ALL-UNNAMED",
            "--add-exports",
            "java.base/sun.nio.ch=ALL-UNNAMED",
            "--enable-native-access=a.b");
    assertEquals(
        List.of(
            "--enable-preview",
            "--add-opens=java.base/java.nio=ALL-UNNAMED",
            "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED",
            "--enable-native-access=a.b"),
        JvmInheritance.filter(arguments));
  }

  @Test
  void theCallersOptionsComeLastAndWin() {
    WorkerCommand command =
        WorkerCommand.of(SubprocessOptions.builder().jvmArgs("-Xmx64m", "-ea").build());
    List<String> arguments = command.jvmArguments();
    int at = arguments.indexOf("-Xmx64m");
    assertEquals(arguments.size() - 3, at);
    assertTrue(arguments.contains("--enable-native-access=ALL-UNNAMED"));
  }

  @Test
  void toolVariablesAreStrippedUnlessKept() {
    WorkerCommand command = new WorkerCommand(List.of("Main"), "/a.jar");
    SubprocessOptions plain = SubprocessOptions.builder().environment("A", "b").build();
    ProcessBuilder builder = command.toBuilder(plain, "");
    assertEquals("/a.jar", builder.environment().get("CLASSPATH"));
    assertEquals("b", builder.environment().get("A"));
    assertFalse(builder.environment().containsKey("JAVA_TOOL_OPTIONS"));
    SubprocessOptions chosen =
        SubprocessOptions.builder().environment("JAVA_TOOL_OPTIONS", "-Da=b").build();
    assertEquals("-Da=b", command.toBuilder(chosen, "").environment().get("JAVA_TOOL_OPTIONS"));
  }

  @Test
  void aLongLineGoesIntoAnArgumentFile() {
    WorkerCommand command =
        new WorkerCommand(List.of("-Dx=a \"b\" \\c", "Main"), "x".repeat(200_000));
    assertTrue(command.needsArgumentFile());
    String file = command.argumentFile();
    assertTrue(file.startsWith("\"--class-path=xxx"));
    assertTrue(file.endsWith("\n\"-Dx=a \\\"b\\\" \\\\c\"\n\"Main\""));
    ProcessBuilder builder = command.toBuilder(SubprocessOptions.defaults(), "/proc/1/fd/2");
    assertEquals("@/proc/1/fd/2", builder.command().getLast());
    assertFalse(builder.environment().containsKey("CLASSPATH"));
  }
}
