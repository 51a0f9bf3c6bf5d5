package dev.holdfast.cli.bench;

import java.io.File;
import java.util.ArrayList;
import java.util.List;

/** The command that starts a JVM of a cell. */
final class JvmCommand {
  private JvmCommand() {}

  /**
   * Returns the command.
   *
   * @param transport says what its classes need beyond those of this process
   * @param main what runs
   */
  static List<String> of(Transport transport, Class<?> main) {
    List<String> command = new ArrayList<>();
    command.add(System.getProperty("java.home") + File.separator + "bin" + File.separator + "java");
    command.add("--enable-native-access=ALL-UNNAMED");
    command.addAll(transport.jvmFlags());
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(main.getName());
    return command;
  }
}
