package dev.holdfast.acceptance.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.cuda.StubDriver;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The check itself, on the stub driver and without any. */
@ExtendWith(Leftovers.class)
class GpuCheckTest {

  private static ChildJvm.Builder check(String library) {
    return ChildJvm.of(GpuCheck.class).jvmArgs("-D" + StubDriver.LIBRARY_PROPERTY + "=" + library);
  }

  @Test
  void withoutADriverItSaysSoInOneSentence() {
    try (ChildJvm child = check("libno-such-driver.so.1").start()) {
      assertEquals(GpuCheck.NO_DRIVER, child.awaitExit());
      assertEquals(1, child.output().lines().count(), child.output());
      assertTrue(child.output().contains("nothing was checked"), child.output());
    }
  }

  @Test
  void onADriverItRunsTheSuitesAndCountsThem() {
    try (ChildJvm child =
        check(StubDriver.install().library().toString()).args("--no-rates").start()) {
      child.awaitSuccess(Duration.ofMinutes(5));
      assertTrue(child.output().contains(" passed, 0 failed, 0 skipped"), child.output());
    }
  }

  @Test
  void theScriptSaysInOneSentenceThatThereIsNoDriver() throws Exception {
    Path root = Path.of(System.getProperty("holdfast.root", "..")).toAbsolutePath();
    ProcessBuilder builder =
        new ProcessBuilder(root.resolve("bin/gpu-check").toString()).redirectErrorStream(true);
    builder
        .environment()
        .keySet()
        .removeIf(name -> name.startsWith("LD_") || name.startsWith("HOLD"));
    Assumptions.assumeFalse(hasDriver(), "skipped: this machine has an NVIDIA driver");
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertTrue(process.waitFor(60, TimeUnit.SECONDS), "it does not end");
    assertEquals(GpuCheck.NO_DRIVER, process.exitValue(), output);
    assertEquals(1, output.lines().count(), output);
    assertTrue(output.contains("no NVIDIA driver"), output);
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
