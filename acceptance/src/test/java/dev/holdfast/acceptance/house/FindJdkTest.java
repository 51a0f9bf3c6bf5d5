package dev.holdfast.acceptance.house;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The search for a JDK 25, on a machine that has the JDKs alone that a test puts there. */
final class FindJdkTest {
  private static final String SCRIPT = "bin/find-jdk25";
  private static final String NONE =
      "holdfast: no JDK 25 found; install one (for example the package temurin-25-jdk or"
          + " openjdk-25-jdk-headless) or set HOLDFAST_JAVA_HOME to its folder.\n";

  @TempDir private Path folder;
  private Scripts scripts;
  private Map<String, String> environment;

  /** The usual folders of the copy lie in the tree. */
  @BeforeEach
  void makeTree() throws IOException {
    scripts = new Scripts(folder);
    String original = Scripts.text(SCRIPT);
    String moved = original.replaceAll(" (/usr/|/opt/)", " " + folder + "$1");
    assertNotEquals(original, moved);
    scripts.writeExecutable(SCRIPT, moved);
    environment = new HashMap<>();
    environment.put("HOME", folder.resolve("home").toString());
    environment.put("PATH", scripts.tools("tools", "grep", "sed", "readlink", "dirname"));
  }

  private String jdk(String name, String version) throws IOException {
    scripts.writeExecutable(name + "/bin/java", "#!/bin/sh\nexit 1\n");
    scripts.writeExecutable(name + "/bin/javac", "#!/bin/sh\nexit 1\n");
    scripts.write(
        name + "/release", "IMPLEMENTOR=\"25\"\nJAVA_VERSION=\"" + version + "\"\nA=\"17\"\n");
    return scripts.path(name).toString();
  }

  private void assertFound(String home) throws Exception {
    Scripts.Said said = scripts.run(environment, SCRIPT);
    assertEquals(new Scripts.Said(0, home + "\n", ""), said);
  }

  /** The scripts that a newcomer types end as the search does. */
  @ParameterizedTest
  @ValueSource(strings = {SCRIPT, "holdfast", "mvnw"})
  void withoutAJdk25OneSentenceSaysWhatToDo(String name) throws Exception {
    if (!name.equals(SCRIPT)) {
      scripts.writeExecutable(name, Scripts.text(name));
    }
    jdk("usr/lib/jvm/java-21", "21.0.5");

    assertEquals(new Scripts.Said(1, "", NONE), scripts.run(environment, name, "demo"));
  }

  @Test
  void anEmptyPathIsNoJdkAndNoOtherSentence() throws Exception {
    environment.put("PATH", scripts.tools("nothing"));

    assertEquals(new Scripts.Said(1, "", NONE), scripts.run(environment, SCRIPT));
  }

  @Test
  void theFirstPlaceThatHasOneIsTaken() throws Exception {
    String named = jdk("named", "25.0.1");
    String usual = jdk("usr/lib/jvm/usual", "25");
    String onPath = jdk("path", "25.0.2");
    String javaHome = jdk("home-of-java", "25-ea");
    environment.put("HOLDFAST_JAVA_HOME", named);
    environment.put("JAVA_HOME", javaHome);
    environment.merge("PATH", onPath + "/bin", (tools, java) -> java + ":" + tools);

    assertFound(named);
    environment.remove("HOLDFAST_JAVA_HOME");
    assertFound(javaHome);
    jdk("home-of-java", "17.0.9");
    assertFound(onPath);
    jdk("path", "24");
    assertFound(usual);
  }

  @ParameterizedTest
  @ValueSource(strings = {"21.0.25", "17"})
  void aNamedOneOfAnotherVersionIsSaidAndPassedOver(String version) throws Exception {
    String usual = jdk("usr/lib/jvm/usual", "25");
    String named = jdk("named", version);
    environment.put("HOLDFAST_JAVA_HOME", named);

    Scripts.Said said = scripts.run(environment, SCRIPT);

    assertEquals(
        new Scripts.Said(
            0,
            usual + "\n",
            "find-jdk25: HOLDFAST_JAVA_HOME is not a JDK 25, looking further: " + named + "\n"),
        said);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "usr/lib/jvm/a",
        "usr/java/a",
        "usr/local/java/a",
        "usr/local/jdk-25",
        "opt/a",
        "opt/java/a",
        "home/.sdkman/candidates/java/a",
        "home/.jdks/a"
      })
  void eachOfTheUsualFoldersIsLookedInto(String place) throws Exception {
    jdk("usr/lib/jvm/a-21", "21.0.5");
    assertFound(jdk(place, "25.0.1"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"25", "25.0.1", "25-ea", "25+36"})
  void everyFormOfTheVersionIsRecognized(String version) throws Exception {
    assertFound(jdk("usr/lib/jvm/a", version));
  }

  @ParameterizedTest
  @ValueSource(strings = {"250", "2.25", "1.8.0_25", "24.0.25", ""})
  void noOtherVersionIsTakenForIt(String version) throws Exception {
    jdk("usr/lib/jvm/a", version);

    assertEquals(new Scripts.Said(1, "", NONE), scripts.run(environment, SCRIPT));
  }

  @Test
  void aRuntimeWithoutACompilerIsNone() throws Exception {
    String home = jdk("usr/lib/jvm/a", "25");
    Files.delete(Path.of(home, "bin/javac"));

    assertEquals(1, scripts.run(environment, SCRIPT).status());
  }

  @Test
  void oneWithoutAReleaseFileIsAskedForItsVersion() throws Exception {
    String home = jdk("usr/lib/jvm/a", "25");
    Files.delete(Path.of(home, "release"));
    assertEquals(1, scripts.run(environment, SCRIPT).status());
    scripts.writeExecutable(
        "usr/lib/jvm/a/bin/java", "#!/bin/sh\necho '    java.specification.version = 25' >&2\n");

    assertFound(home);
  }

  /** As a version manager puts it on the path. */
  @Test
  void aShimOnThePathIsAskedForItsHome() throws Exception {
    String home = jdk("elsewhere/a", "25.0.1");
    scripts.writeExecutable("shims/java", "#!/bin/sh\necho '    java.home = " + home + "' >&2\n");
    environment.merge(
        "PATH", scripts.path("shims").toString(), (tools, shims) -> shims + ":" + tools);

    assertFound(home);
  }

  @Test
  void aLinkOnThePathLeadsToItsHome() throws Exception {
    String home = jdk("elsewhere/a", "25.0.1");
    Files.createSymbolicLink(scripts.path("tools/java"), Path.of(home, "bin/java"));

    assertFound(home);
    assertTrue(Files.isSymbolicLink(scripts.path("tools/java")));
  }
}
