package dev.holdfast.acceptance.gpu;

import dev.holdfast.cuda.CudaDevice;
import dev.holdfast.cuda.CudaDriver;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/**
 * What {@code bin/gpu-check} runs on a machine with a device: the pinning and copy suites on the
 * machine's own driver, then the rates of copies.
 */
public final class GpuCheck {
  /** All suites passed. */
  static final int PASSED = 0;

  /** A test failed or none ran. */
  static final int FAILED = 1;

  /** There is no driver, so nothing was checked. */
  static final int NO_DRIVER = 3;

  private GpuCheck() {}

  /**
   * Runs the check and exits.
   *
   * @param args {@code --rates-only} or {@code --no-rates}, or nothing for both parts
   * @throws Exception when a rate cannot be measured
   */
  public static void main(String[] args) throws Exception {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    System.exit(run(args.length == 0 ? "" : args[0], out));
  }

  /** Runs the check. */
  static int run(String part, PrintStream out) throws Exception {
    if (!CudaDriver.isAvailable()) {
      out.println("gpu-check: nothing was checked: " + CudaDriver.unavailableReason() + ".");
      return NO_DRIVER;
    }
    out.println("driver for CUDA " + CudaDriver.version());
    for (CudaDevice device : CudaDriver.devices()) {
      out.println(
          "device %d: %s, %d MiB"
              .formatted(device.index(), device.name(), device.totalBytes() >> 20));
    }
    if (!part.equals("--rates-only") && !suitesPass(out)) {
      return FAILED;
    }
    if (!part.equals("--no-rates")) {
      CopyRates.print(out);
    }
    return PASSED;
  }

  private static boolean suitesPass(PrintStream out) {
    System.setProperty("holdfast.gpu.real", "true");
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(
                DiscoverySelectors.selectClass("dev.holdfast.acceptance.pinning.CudaPinnerTest"),
                DiscoverySelectors.selectClass("dev.holdfast.acceptance.device.DeviceCopyTest"),
                DiscoverySelectors.selectClass("dev.holdfast.acceptance.device.RawCopiesTest"))
            .build();
    SummaryGeneratingListener listener = new SummaryGeneratingListener();
    LauncherFactory.create().execute(request, listener);
    TestExecutionSummary summary = listener.getSummary();
    summary.printFailuresTo(new PrintWriter(out, true, StandardCharsets.UTF_8));
    out.println(
        "%d passed, %d failed, %d skipped"
            .formatted(
                summary.getTestsSucceededCount(),
                summary.getTotalFailureCount(),
                summary.getTestsSkippedCount()));
    return summary.getTotalFailureCount() == 0 && summary.getTestsSucceededCount() > 0;
  }
}
