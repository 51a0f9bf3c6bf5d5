package dev.holdfast.cli.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class DecodingJvmTest {
  private static final String PROPERTY = "holdfast.demo.loops";
  private static final String NOT_OPTIMIZING = "-XX:TieredStopAtLevel=1";

  @TempDir private Path folder;

  private Path loops;

  @BeforeEach
  void namesTheLoops() throws Exception {
    loops = Files.writeString(folder.resolve("loops.json"), "[]");
    System.setProperty(PROPERTY, loops.toString());
  }

  @AfterEach
  void forgetsThem() {
    System.clearProperty(PROPERTY);
  }

  private static List<String> of(int epochs, String... given) {
    return List.of(DecodingJvm.arguments(epochs, List.of(given)));
  }

  @Test
  void aLongRunOptimizesTheLoopsAndAShortOneNothing() {
    String directives = "-XX:CompilerDirectivesFile=" + loops;
    List<String> ofALongRun = of(4);
    assertTrue(ofALongRun.contains(directives), ofALongRun::toString);
    assertTrue(
        ofALongRun.indexOf("-XX:+UnlockDiagnosticVMOptions") < ofALongRun.indexOf(directives),
        ofALongRun::toString);
    assertFalse(ofALongRun.contains(NOT_OPTIMIZING), ofALongRun::toString);

    List<String> ofAShortRun = of(3);
    assertTrue(ofAShortRun.contains(NOT_OPTIMIZING), ofAShortRun::toString);
    assertFalse(ofAShortRun.contains(directives), ofAShortRun::toString);
  }

  @Test
  void withoutTheFileNothingIsOptimized() throws Exception {
    Files.delete(loops);
    assertTrue(of(10).contains(NOT_OPTIMIZING));
    System.clearProperty(PROPERTY);
    assertTrue(of(10).contains(NOT_OPTIMIZING));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-XX:TieredStopAtLevel=4",
        "-XX:-TieredCompilation",
        "-XX:CompilationMode=high-only",
        "-XX:CompilerDirectivesFile=mine"
      })
  void whoeverChoosesCompilersHasNoOthersChosenBeside(String choice) {
    List<String> all = of(10, choice);
    assertFalse(all.contains("-XX:CompilerDirectivesFile=" + loops), all::toString);
    assertFalse(all.contains(NOT_OPTIMIZING), all::toString);
    assertEquals(choice, all.getLast());
    assertFalse(of(1, choice).contains(NOT_OPTIMIZING), "in a short run");
  }

  @Test
  void aCollectorIsChosenUnlessTheUserDoes() {
    assertTrue(of(1).contains("-XX:+UseSerialGC"));
    assertFalse(of(1, "-XX:+UseZGC").contains("-XX:+UseSerialGC"));
  }
}
