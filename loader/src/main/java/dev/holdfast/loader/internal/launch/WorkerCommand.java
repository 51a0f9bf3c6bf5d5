package dev.holdfast.loader.internal.launch;

import dev.holdfast.arena.internal.os.NativeAccess;
import dev.holdfast.loader.SubprocessOptions;
import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The command that starts a worker: this JVM's {@code java.home}, class path and module path, what
 * {@link JvmInheritance} lets through, then the options of the caller.
 *
 * @param jvmArguments everything between {@code java} and the end of the line
 * @param classPath the class path, empty when there is none
 */
record WorkerCommand(List<String> jvmArguments, String classPath) {
  private static final String MAIN_CLASS = "dev.holdfast.loader.internal.worker.WorkerMain";
  private static final List<String> TOOL_VARIABLES =
      List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS");

  /** Linux takes at most 128 KiB in one argument or variable (MAX_ARG_STRLEN, execve(2)). */
  private static final int LONGEST_STRING = 100_000;

  static WorkerCommand of(SubprocessOptions options) {
    List<String> arguments = new ArrayList<>(JvmInheritance.options());
    arguments.add(NativeAccess.flag());
    String modulePath = System.getProperty("jdk.module.path", "");
    Module own = WorkerCommand.class.getModule();
    if (!modulePath.isEmpty()) {
      arguments.add("--module-path=" + absolute(modulePath));
    }
    if (!modulePath.isEmpty() || own.isNamed()) {
      arguments.add("--add-modules=" + resolvedModules());
    }
    arguments.addAll(options.jvmArgs());
    if (own.isNamed()) {
      arguments.add("--module");
      arguments.add(own.getName() + "/" + MAIN_CLASS);
    } else {
      arguments.add(MAIN_CLASS);
    }
    return new WorkerCommand(arguments, absolute(System.getProperty("java.class.path", "")));
  }

  /** Returns whether the line must go into an argument file. */
  boolean needsArgumentFile() {
    long all = jvmArguments.stream().mapToLong(String::length).sum();
    return Math.max(all, classPath.length()) > LONGEST_STRING;
  }

  /** Returns the content of the argument file, with the class path in it. */
  String argumentFile() {
    List<String> all = new ArrayList<>();
    if (!classPath.isEmpty()) {
      all.add("--class-path=" + classPath);
    }
    all.addAll(jvmArguments);
    return all.stream().map(WorkerCommand::quoted).collect(Collectors.joining("\n"));
  }

  /**
   * Returns the builder of the process, with everything but its streams.
   *
   * @param argumentFile the path of the argument file, or empty
   */
  ProcessBuilder toBuilder(SubprocessOptions options, String argumentFile) {
    List<String> line = new ArrayList<>();
    line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    if (argumentFile.isEmpty()) {
      line.addAll(jvmArguments);
    } else {
      line.add("@" + argumentFile);
    }
    ProcessBuilder builder = new ProcessBuilder(line);
    Map<String, String> environment = builder.environment();
    if (!options.keepJavaToolOptions()) {
      TOOL_VARIABLES.forEach(environment::remove);
    }
    if (classPath.isEmpty() || !argumentFile.isEmpty()) {
      environment.remove("CLASSPATH");
    } else {
      environment.put("CLASSPATH", classPath);
    }
    environment.putAll(new HashMap<>(options.environment()));
    options.workingDirectory().ifPresent(folder -> builder.directory(folder.toFile()));
    return builder;
  }

  private static String absolute(String path) {
    if (path.isEmpty()) {
      return path;
    }
    return Arrays.stream(path.split(File.pathSeparator, -1))
        .map(entry -> Path.of(entry).toAbsolutePath().toString())
        .collect(Collectors.joining(File.pathSeparator));
  }

  /** The same modules as here: a worker's main module alone would not bring the source's. */
  private static String resolvedModules() {
    return ModuleLayer.boot().modules().stream()
        .map(Module::getName)
        .sorted()
        .collect(Collectors.joining(","));
  }

  private static String quoted(String argument) {
    return '"' + argument.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }
}
