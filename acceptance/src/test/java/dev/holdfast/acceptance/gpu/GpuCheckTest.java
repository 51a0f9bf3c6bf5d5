package dev.holdfast.acceptance.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.cuda.StubDriver;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The check itself, on the stub driver and without any. */
@ExtendWith(Leftovers.class)
class GpuCheckTest {

  private static ChildJvm.Builder check(String library) {
    return ChildJvm.of(GpuCheck.class).jvmArgs("-D" + StubDriver.DRIVER_PROPERTY + "=" + library);
  }

  @Test
  void withoutADriverItSaysSoInOneSentence() {
    try (ChildJvm child = check("libno-such-driver.so.1").start()) {
      assertEquals(GpuCheck.NO_DRIVER, child.awaitExit());
      assertEquals(1, child.output().lines().count(), child.output());
      assertTrue(child.output().contains("nothing was checked"), child.output());
    }
  }

  /** The stub copies slowly, so that smaller units and few runs must do. */
  private static final String[] SMALL = {
    "-Dholdfast.gpu.sizes=1,2", "-Dholdfast.gpu.mib-per-run=1", "-Dholdfast.gpu.raw-bytes=150011"
  };

  @Test
  void onADriverItMeasuresRatesAlone() {
    assertEquals("8,64", CopyRates.SIZES);
    try (ChildJvm child =
        check(StubDriver.install().file().toString())
            .jvmArgs(SMALL)
            .jvmArgs("-Dholdfast.gpu.runs=2")
            .args("--rates-only")
            .start()) {
      child.awaitSuccess();
      assertRates(2, child.output());
      assertFalse(child.output().contains(" passed, "), child.output());
    }
  }

  /** Each arena at each size, pageable and page-locked, and every run of it. */
  private static void assertRates(int runs, String output) {
    for (String arena : List.of("pool pageable", "pool pinned", "ring pageable", "ring pinned")) {
      for (int mib : new int[] {1, 2}) {
        String row = "(?m)^" + arena + " +" + mib + " MiB( +\\d+\\.\\d\\d){" + runs + "} GiB/s$";
        assertTrue(Pattern.compile(row).matcher(output).find(), row + " in " + output);
      }
    }
  }

  @Test
  void aPackedCopyNeedsNothingButADriver(@TempDir Path folder) throws Exception {
    Path packed = folder.resolve("packed");
    Run made =
        script(
            checkout(),
            Map.of("HOLDFAST_CLASSPATH", System.getProperty("java.class.path")),
            "--pack",
            packed.toString());
    assertEquals(0, made.exit, made.output);
    assertTrue(Files.size(packed) < 60_000_000, made.output);

    Map<String, String> environment = new HashMap<>();
    environment.put("HOLDFAST_CUDA_DRIVER", StubDriver.install().file().toString());
    environment.put("HOLDFAST_ROUNDS", "0.01");
    environment.put("HOLDFAST_RATE_RUNS", "1");
    environment.put("JDK_JAVA_OPTIONS", String.join(" ", SMALL));
    environment.put("PATH", "/usr/bin:/bin");
    Run run = script(packed, environment);
    assertEquals(GpuCheck.PASSED, run.exit, run.output);
    assertTrue(run.output.contains(" passed, 0 failed, 0 skipped"), run.output);
    assertRates(1, run.output);
  }

  private record Run(int exit, String output) {}

  private static Run script(Path file, Map<String, String> environment, String... args)
      throws Exception {
    List<String> command = new ArrayList<>(List.of(file.toString()));
    command.addAll(List.of(args));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder
        .environment()
        .keySet()
        .removeIf(name -> name.startsWith("LD_") || name.startsWith("HOLD"));
    builder.environment().putAll(environment);
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertTrue(process.waitFor(5, TimeUnit.MINUTES), "it does not end");
    return new Run(process.exitValue(), output);
  }

  private static Path checkout() {
    return Path.of(System.getProperty("holdfast.root", ".."))
        .toAbsolutePath()
        .resolve("bin/gpu-check");
  }

  @Test
  void theScriptSaysInOneSentenceThatThereIsNoDriver() throws Exception {
    Assumptions.assumeFalse(hasDriver(), "skipped: this machine has an NVIDIA driver");
    Run run = script(checkout(), Map.of());
    assertEquals(GpuCheck.NO_DRIVER, run.exit, run.output);
    assertEquals(1, run.output.lines().count(), run.output);
    assertTrue(run.output.contains("no NVIDIA driver"), run.output);
  }

  /** What is packed here is a stand-in for the image: {@code --pack} itself builds the project. */
  @Test
  void aPackedScriptRunsWhatIsInsideItAndLeavesNothing(@TempDir Path folder) throws Exception {
    Path image = Files.createDirectories(folder.resolve("inside/image/bin"));
    Files.createDirectories(folder.resolve("inside/classes"));
    Files.createDirectories(folder.resolve("inside/jars"));
    Path java = image.resolve("java");
    Files.writeString(java, "#!/bin/sh\necho \"ran $*\"\nexit 1\n");
    assertTrue(java.toFile().setExecutable(true));
    Path archive = folder.resolve("archive");
    Process tar =
        new ProcessBuilder(
                "tar",
                "-C",
                folder.resolve("inside").toString(),
                "-czf",
                archive.toString(),
                "image",
                "classes",
                "jars")
            .start();
    assertEquals(0, tar.waitFor());
    Path packed = folder.resolve("packed");
    try (OutputStream out = Files.newOutputStream(packed)) {
      Files.copy(checkout(), out);
      out.write("__PAYLOAD_FOLLOWS__\n".getBytes(StandardCharsets.UTF_8));
      Files.copy(archive, out);
    }
    assertTrue(packed.toFile().setExecutable(true));
    Path temporary = Files.createDirectory(folder.resolve("temporary"));

    Run run =
        script(
            packed,
            Map.of("HOLDFAST_CUDA_DRIVER", "/some/driver", "TMPDIR", temporary.toString()),
            "--no-rates");

    assertEquals(GpuCheck.FAILED, run.exit, run.output);
    assertTrue(run.output.startsWith("ran "), run.output);
    assertTrue(run.output.contains(GpuCheck.class.getName() + " --no-rates"), run.output);
    assertTrue(run.output.contains("-Dholdfast.cuda.driver=/some/driver"), run.output);
    try (Stream<Path> left = Files.list(temporary)) {
      assertEquals(0, left.count());
    }
    assertEquals(2, script(packed, Map.of(), "--no-such-option").exit);
  }

  private static boolean hasDriver() {
    return Stream.of(
            "/usr/lib/wsl/lib",
            "/usr/lib64",
            "/usr/lib/x86_64-linux-gnu",
            "/usr/lib/aarch64-linux-gnu",
            "/usr/local/cuda/compat")
        .anyMatch(folder -> Files.exists(Path.of(folder, "libcuda.so.1")));
  }
}
