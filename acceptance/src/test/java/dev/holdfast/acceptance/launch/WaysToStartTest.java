package dev.holdfast.acceptance.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Images;
import dev.holdfast.testkit.Leftovers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A user's application and its workers, whichever way the application is started. */
@ExtendWith(Leftovers.class)
@Timeout(300)
final class WaysToStartTest {
  private static final String DENY = "--illegal-native-access=deny";

  @TempDir private Path folder;

  private static void assertSameKind(Application.Said said, String module) {
    assertTrue(said.parent().contains("module=" + module + " "), said::parent);
    assertTrue(said.worker().contains("module=" + module + " "), said::worker);
    assertTrue(said.lines().contains("SAME TEXT true"), said.lines()::toString);
  }

  @Test
  void classPathWithRelativeEntriesAndSpaces() throws Exception {
    Application app = Application.compile(Files.createDirectory(folder.resolve("an app")), false);
    Path elsewhere = Files.createDirectory(folder.resolve("work folder"));
    String path = elsewhere.relativize(app.classes()) + ":" + Application.ours();
    assertSameKind(
        Application.run(
            elsewhere,
            List.of(DENY, "--enable-native-access=ALL-UNNAMED", "-cp", path, Application.MAIN)),
        "null");
  }

  @Test
  void classPathWithWildcardsAndOneThatIsTooLongForACommandLine() throws Exception {
    Application app = Application.compile(folder, false);
    Path jar = app.shade("jars/app.jar");
    assertSameKind(
        Application.run(
            folder,
            List.of(
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                jar.getParent() + "/*",
                Application.MAIN)),
        "null");
    StringBuilder path = new StringBuilder(jar.toString());
    for (int i = 0; path.length() < 150_000; i++) {
      path.append(":").append(folder).append("/jars that are not there/").append(i).append(".jar");
    }
    Path arguments = folder.resolve("arguments.txt");
    Files.writeString(arguments, "-cp \"" + path + "\"\n");
    assertSameKind(
        Application.run(
            folder,
            List.of("--enable-native-access=ALL-UNNAMED", "@" + arguments, Application.MAIN)),
        "null");
  }

  @Test
  void modulePathWithTheApplicationAsAModule() throws Exception {
    Application app = Application.compile(folder, true);
    for (String access :
        List.of("dev.holdfast.arena", "dev.holdfast.arena,dev.holdfast.loader,user.app")) {
      assertSameKind(
          Application.run(
              folder,
              List.of(
                  DENY,
                  "--enable-native-access=" + access,
                  "-p",
                  app.classes() + ":" + Application.ours(),
                  "-m",
                  "user.app/" + Application.MAIN)),
          "user.app");
    }
  }

  @Test
  void modulePathForTheLibraryAndClassPathForTheApplication() throws Exception {
    Application app = Application.compile(folder, false);
    assertSameKind(
        Application.run(
            folder,
            List.of(
                DENY,
                "--enable-native-access=dev.holdfast.arena",
                "-p",
                Application.ours(),
                "--add-modules=dev.holdfast.loader",
                "-cp",
                app.classes().toString(),
                Application.MAIN)),
        "null");
  }

  @Test
  void shadedJarWithItsManifest() throws Exception {
    Application app = Application.compile(folder, false);
    Path jar =
        app.shade(
            "a folder/shaded app.jar",
            "Enable-Native-Access",
            "ALL-UNNAMED",
            "Add-Opens",
            "java.base/java.lang java.base/java.util");
    Path elsewhere = Files.createDirectory(folder.resolve("elsewhere"));
    Application.Said said =
        Application.run(elsewhere, List.of(DENY, "-jar", elsewhere.relativize(jar).toString()));
    assertSameKind(said, "null");
    assertTrue(said.worker().contains("--add-opens=java.base/java.util=ALL-UNNAMED"), said::worker);
  }

  @Test
  void jarThatNamesItsClassPathInItsManifest() throws Exception {
    Application app = Application.compile(folder, false);
    Path library = app.shade("lib/all.jar");
    Path thin = Files.createDirectory(folder.resolve("empty"));
    Path jar = folder.resolve("thin.jar");
    Manifest manifest = new Manifest();
    var attributes = manifest.getMainAttributes();
    attributes.putValue("Manifest-Version", "1.0");
    attributes.putValue("Main-Class", Application.MAIN);
    attributes.putValue("Class-Path", "lib/" + library.getFileName());
    attributes.putValue("Enable-Native-Access", "ALL-UNNAMED");
    try (var out = new JarOutputStream(Files.newOutputStream(jar), manifest)) {
      out.flush();
    }
    assertSameKind(Application.run(thin, List.of("-jar", jar.toString())), "null");
  }

  @Test
  void commandAsItIsShippedRunsTheDemo() throws Exception {
    Path jar = Path.of(System.getProperty("holdfast.root", ".."), "cli/target/holdfast.jar");
    Assumptions.assumeTrue(
        Files.exists(jar), () -> "skipped: the command was not packaged: " + jar);
    Path pictures = Files.createDirectory(folder.resolve("some pictures"));
    try (Stream<Path> all = Files.list(Images.folder())) {
      for (Path picture : all.sorted().limit(8).toList()) {
        Files.copy(picture, pictures.resolve(picture.getFileName()));
      }
    }
    List<String> command = new ArrayList<>(List.of(ChildJvm.java(), DENY, "-jar"));
    command.addAll(List.of(jar.toAbsolutePath().toString(), "demo", pictures.toString()));
    command.addAll(List.of("--batch", "3", "--json", "-"));
    Path out = folder.resolve("demo.json");
    Process demo =
        new ProcessBuilder(command)
            .redirectOutput(out.toFile())
            .redirectError(folder.resolve("demo.err").toFile())
            .start();
    assertTrue(demo.waitFor(120, TimeUnit.SECONDS));
    String json = Files.readString(out);
    assertEquals(0, demo.exitValue(), Files.readString(folder.resolve("demo.err")) + json);
    assertTrue(json.contains("\"transport\": \"pool\""), json);
    assertFalse(json.contains("\"delivered\": 0"), json);
  }
}
