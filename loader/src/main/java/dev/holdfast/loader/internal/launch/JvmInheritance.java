package dev.holdfast.loader.internal.launch;

import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.regex.Pattern;

/**
 * What a worker's JVM inherits from this one: whatever its classes need to be loaded and linked in
 * the same way. Never the heap, debuggers, agents, JMX ports or system properties.
 */
final class JvmInheritance {
  private static final List<String> FLAGS = List.of("--enable-preview");
  private static final List<String> WITH_VALUES =
      List.of(
          "--add-opens",
          "--add-exports",
          "--add-reads",
          "--add-modules",
          "--limit-modules",
          "--patch-module",
          "--enable-native-access",
          "--enable-final-field-mutation");

  private static final Pattern BLANKS = Pattern.compile("\\s+");

  private JvmInheritance() {}

  /** Returns the inherited options of this JVM. */
  static List<String> options() {
    List<String> options = filter(ManagementFactory.getRuntimeMXBean().getInputArguments());
    options.addAll(ofManifest(System.getProperty("java.class.path", "")));
    return options;
  }

  /**
   * Keeps the options that a worker inherits; a value stands behind {@code =} or in the next
   * argument.
   */
  static List<String> filter(List<String> arguments) {
    List<String> kept = new ArrayList<>();
    for (int i = 0; i < arguments.size(); i++) {
      String argument = arguments.get(i);
      if (FLAGS.contains(argument)) {
        kept.add(argument);
      } else if (WITH_VALUES.contains(argument) && i + 1 < arguments.size()) {
        kept.add(argument + "=" + arguments.get(++i));
      } else if (WITH_VALUES.stream().anyMatch(name -> argument.startsWith(name + "="))) {
        kept.add(argument);
      }
    }
    return kept;
  }

  /**
   * A jar that was started with {@code -jar} opens packages by its manifest, which a class path
   * ignores.
   */
  private static List<String> ofManifest(String classPath) {
    List<String> options = new ArrayList<>();
    if (!classPath.endsWith(".jar") || classPath.contains(File.pathSeparator)) {
      return options;
    }
    try (JarFile jar = new JarFile(classPath)) {
      Manifest manifest = jar.getManifest();
      if (manifest != null) {
        addAll(options, "--add-opens=", manifest.getMainAttributes(), "Add-Opens");
        addAll(options, "--add-exports=", manifest.getMainAttributes(), "Add-Exports");
      }
    } catch (IOException e) {
      // whoever runs from it has read it; if it has gone since, the worker's own error says so
      return options;
    }
    return options;
  }

  private static void addAll(
      List<String> options, String option, Attributes attributes, String name) {
    String value = attributes.getValue(name);
    if (value != null) {
      for (String packageName : BLANKS.split(value.trim(), -1)) {
        options.add(option + packageName + "=ALL-UNNAMED");
      }
    }
  }
}
