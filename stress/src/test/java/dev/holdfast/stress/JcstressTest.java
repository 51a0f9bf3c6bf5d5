package dev.holdfast.stress;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Tally;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openjdk.jcstress.Main;

/**
 * Runs every test of the shared words: shortly, or, with {@code holdfast.rounds} of 1, in all the
 * ways of compiling that jcstress knows.
 */
final class JcstressTest {
  private static final Pattern RESULTS =
      Pattern.compile("Results: (\\d+) planned; (\\d+) passed, 0 failed, 0 soft errs, 0 hard errs");
  private static final boolean FULL =
      Double.parseDouble(System.getProperty("holdfast.rounds", "0.1")) >= 1;

  @TempDir private Path folder;

  @Test
  void noSharedWordIsEverSeenInAWayThatIsForbidden() throws IOException {
    String[] how =
        FULL
            ? new String[] {"-m", "quick"}
            : new String[] {
              "-m", "quick", "-iters", "1", "-time", "100", "-f", "1", "-sc", "false"
            };
    try (ChildJvm run =
        ChildJvm.of(Main.class)
            .directory(folder)
            .args("-t", "dev.holdfast.stress", "-r", folder.resolve("results").toString())
            .args("-jvmArgs", "--enable-native-access=ALL-UNNAMED")
            .args(how)
            .start()) {
      run.awaitSuccess(Duration.ofMinutes(FULL ? 60 : 5));
      Matcher results = RESULTS.matcher(run.output());
      long planned = 0;
      long passed = 0;
      while (results.find()) {
        planned = Long.parseLong(results.group(1));
        passed = Long.parseLong(results.group(2));
      }
      assertEquals(planned, passed, run.output());
      assertTrue(planned >= tests(), () -> "planned fewer than there are: " + run.output());
      Tally.INTERLEAVINGS.add(passed); // each tries as many as its time allows
      System.out.printf("jcstress: tests %d, configurations %d%n", tests(), passed);
    }
  }

  /** Counts the classes that say so in their source. */
  private static long tests() throws IOException {
    Path sources =
        Path.of(System.getProperty("holdfast.root"), "stress/src/main/java/dev/holdfast/stress");
    try (Stream<Path> files = Files.list(sources)) {
      return files.filter(JcstressTest::isTest).count();
    }
  }

  private static boolean isTest(Path source) {
    try {
      return Files.readString(source).contains("\n@JCStressTest\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
