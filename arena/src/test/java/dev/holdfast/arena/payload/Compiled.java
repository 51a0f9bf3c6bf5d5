package dev.holdfast.arena.payload;

import java.io.IOException;
import java.lang.module.Configuration;
import java.lang.module.ModuleFinder;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.spi.ToolProvider;

/** Classes that a test writes as text, each time in a folder of their own. */
final class Compiled {
  private final Path folder;

  private Compiled(Path folder) {
    this.folder = folder;
  }

  /** Compiles {@code package sample} with one class, and a module declaration when there is one. */
  static Compiled of(Path parent, String className, String source, String module)
      throws IOException {
    Path folder = Files.createTempDirectory(parent, "compiled");
    Path sources = Files.createDirectories(folder.resolve("src").resolve("sample"));
    Path file = Files.writeString(sources.resolve(className + ".java"), source);
    List<String> files = List.of(file.toString());
    if (!module.isEmpty()) {
      Path declaration = folder.resolve("src").resolve("module-info.java");
      files = List.of(file.toString(), Files.writeString(declaration, module).toString());
    }
    ToolProvider compiler = ToolProvider.findFirst("javac").orElseThrow();
    String[] options = {"-d", folder.resolve("out").toString()};
    String[] all =
        java.util.stream.Stream.concat(java.util.Arrays.stream(options), files.stream())
            .toArray(String[]::new);
    if (compiler.run(System.out, System.err, all) != 0) {
      throw new AssertionError("the sample does not compile");
    }
    return new Compiled(folder.resolve("out"));
  }

  ClassLoader onClassPath() throws MalformedURLException {
    return new URLClassLoader(new URL[] {folder.toUri().toURL()}, Channels.loader());
  }

  ClassLoader asModule(String name) {
    ModuleLayer boot = ModuleLayer.boot();
    Configuration configuration =
        boot.configuration().resolve(ModuleFinder.of(folder), ModuleFinder.of(), Set.of(name));
    return boot.defineModulesWithOneLoader(configuration, Channels.loader()).findLoader(name);
  }
}
