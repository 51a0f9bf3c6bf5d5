package dev.holdfast.acceptance.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.loader.Subprocess;
import dev.holdfast.testkit.ChildJvm;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.HdrHistogram.Histogram;

/**
 * A user's application, compiled by the test and started as users start theirs. It sends items from
 * a worker and says of both processes how they were started.
 */
final class Application {
  static final String MAIN = "user.app.Main";

  private static final String SOURCE =
      """
      package user.app;

      import dev.holdfast.arena.SharedMemorySegmentPool;
      import dev.holdfast.loader.Lease;
      import dev.holdfast.loader.Subprocess;
      import dev.holdfast.loader.SubprocessIterable;
      import dev.holdfast.loader.SubprocessOptions;
      import dev.holdfast.loader.WorkerSource;
      import java.io.Serializable;
      import java.lang.management.ManagementFactory;
      import java.nio.ByteBuffer;
      import java.util.List;
      import java.util.Objects;

      public final class Main {
        record Item(String text, ByteBuffer payload) implements Serializable {}

        static String state() {
          return "module=" + Main.class.getModule().getName()
              + " inherited=" + System.getProperty("not.inherited")
              + " text=\\u00fc\\u20ac\\uD83D\\uDE00"
              + " heapMiB=" + (Runtime.getRuntime().maxMemory() >> 20)
              + " arguments=" + ManagementFactory.getRuntimeMXBean().getInputArguments();
        }

        public static void main(String[] arguments) throws Exception {
          WorkerSource<Item> source =
              context -> List.of(new Item(state(), ByteBuffer.allocate(5000).put(7, (byte) 9)));
          SubprocessOptions.Builder options = SubprocessOptions.builder();
          options.arena(new SharedMemorySegmentPool(8192, 2));
          if (arguments.length > 0) {
            options.jvmArgs(arguments);
          }
          try (SubprocessIterable<Item> items = Subprocess.iterate(source, options.build())) {
            for (Lease<Item> lease : items.leases()) {
              try (lease) {
                if (lease.item().payload().get(7) != 9) {
                  throw new IllegalStateException("wrong bytes");
                }
                String worker = lease.item().text();
                String[] own = state().split(" text=");
                String[] other = worker.split(" text=");
                System.out.println("SAME TEXT "
                    + Objects.equals(own[1].split(" ")[0], other[1].split(" ")[0]));
                System.out.println("PARENT " + state().replaceAll("[^ -~]", "?"));
                System.out.println("WORKER " + worker.replaceAll("[^ -~]", "?"));
              }
            }
          }
          System.out.println("DONE");
        }
      }
      """;

  private static final String MODULE =
      """
      module user.app {
        requires dev.holdfast.loader;
        requires java.management;
      }
      """;

  private final Path folder;

  private Application(Path folder) {
    this.folder = folder;
  }

  /** Compiles it, as a module or not. */
  static Application compile(Path folder, boolean asModule) throws IOException {
    Path sources = Files.createDirectories(folder.resolve("source/user/app"));
    List<String> arguments = new ArrayList<>(List.of("--release", "25", "-d"));
    arguments.add(Files.createDirectories(folder.resolve("classes")).toString());
    arguments.add(asModule ? "-p" : "-cp");
    arguments.add(ours());
    arguments.add(Files.writeString(sources.resolve("Main.java"), SOURCE).toString());
    if (asModule) {
      Path module = folder.resolve("source/module-info.java");
      arguments.add(Files.writeString(module, MODULE).toString());
    }
    int status =
        ToolProvider.getSystemJavaCompiler()
            .run(
                InputStream.nullInputStream(),
                System.out,
                System.err,
                arguments.toArray(new String[0]));
    assertEquals(0, status, "the application does not compile");
    return new Application(folder);
  }

  Path classes() {
    return folder.resolve("classes");
  }

  /** Where the two published modules and what they need lie, as a path. */
  static String ours() {
    return placeOf(SharedMemoryArena.class)
        + ":"
        + placeOf(Subprocess.class)
        + ":"
        + placeOf(Histogram.class);
  }

  static Path placeOf(Class<?> type) {
    try {
      return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Packs it and the two modules into one jar, as a build tool would. */
  Path shade(String name, String... attributes) throws IOException {
    Path jar = folder.resolve(name);
    Files.createDirectories(jar.getParent());
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, MAIN);
    for (int i = 0; i < attributes.length; i += 2) {
      manifest.getMainAttributes().putValue(attributes[i], attributes[i + 1]);
    }
    try (OutputStream file = Files.newOutputStream(jar);
        JarOutputStream out = new JarOutputStream(file, manifest)) {
      for (Path root :
          List.of(classes(), placeOf(SharedMemoryArena.class), placeOf(Subprocess.class))) {
        add(root, out);
      }
    }
    return jar;
  }

  private static void add(Path root, JarOutputStream out) throws IOException {
    if (Files.isDirectory(root)) {
      addAll(root, out);
      return;
    }
    try (FileSystem jar = FileSystems.newFileSystem(root)) {
      addAll(jar.getPath("/"), out);
    }
  }

  private static void addAll(Path root, JarOutputStream out) throws IOException {
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.filter(f -> f.toString().matches(".*/[^/-]+\\.class")).toList()) {
        out.putNextEntry(new JarEntry(root.relativize(file).toString()));
        Files.copy(file, out);
        out.closeEntry();
      }
    }
  }

  /** What it wrote. */
  record Said(List<String> lines) {
    String parent() {
      return line("PARENT ");
    }

    String worker() {
      return line("WORKER ");
    }

    private String line(String prefix) {
      return lines.stream()
          .filter(line -> line.startsWith(prefix))
          .findFirst()
          .orElseThrow(() -> new AssertionError(String.join("\n", lines)));
    }
  }

  /** Runs java in a folder and returns what was written, after an end with status 0. */
  static Said run(Path folder, List<String> arguments, String... environment) throws Exception {
    List<String> command = new ArrayList<>(List.of(ChildJvm.java()));
    command.addAll(arguments);
    ProcessBuilder builder =
        new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
    for (int i = 0; i < environment.length; i += 2) {
      builder.environment().put(environment[i], environment[i + 1]);
    }
    Path log = Files.createTempFile(folder, "output", ".txt");
    Process process = builder.redirectOutput(log.toFile()).start();
    try {
      assertTrue(process.waitFor(120, TimeUnit.SECONDS), () -> "does not end: " + command);
    } finally {
      process.destroyForcibly();
    }
    List<String> lines = Files.readAllLines(log, StandardCharsets.ISO_8859_1);
    assertEquals(0, process.exitValue(), () -> command + "\n" + String.join("\n", lines));
    assertTrue(lines.contains("DONE"), () -> String.join("\n", lines));
    return new Said(lines);
  }
}
