package dev.holdfast.cli.demo;

import dev.holdfast.arena.FailureDetail;
import dev.holdfast.cli.text.Output;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs a demo: workers decode the pictures of a folder, this process computes their mean and
 * deviation.
 */
public final class Demo {
  private static final double NANOS = 1e9;

  private final DemoOptions options;
  private final Output output;

  /**
   * Makes a demo.
   *
   * @param options what to do
   * @param output where progress, summary and figures go
   */
  public Demo(DemoOptions options, Output output) {
    this.options = options;
    this.output = output;
  }

  /**
   * Runs all epochs and reports them.
   *
   * @throws IOException when the folder cannot be read or the figures cannot be written
   * @throws IllegalStateException when the epochs do not agree, after the report
   */
  public void run() throws IOException {
    DemoReport report = measure();
    report.print(output.human());
    output.json(report.toJson());
    if (!report.epochsAgree()) {
      throw new IllegalStateException(
          FailureDetail.of("the epochs do not agree")
              .with("epochs", options.epochs())
              .advise("the pictures changed meanwhile, or bytes were damaged on their way")
              .message());
    }
  }

  private DemoReport measure() throws IOException {
    long opening = System.nanoTime();
    try (BatchFeed feed = BatchFeed.open(options);
        UsageSampler usage = new UsageSampler(feed.workers()).start()) {
      long start = System.nanoTime();
      List<Epoch> epochs = epochs(feed);
      double seconds = (System.nanoTime() - start) / NANOS;
      usage.sample();
      return DemoReport.of(
          options,
          epochs,
          seconds,
          (start - opening) / NANOS,
          usage,
          feed.stats(),
          feed.stages(),
          feed.arenaBytes(),
          feed.pinnedBytes());
    }
  }

  private List<Epoch> epochs(BatchFeed feed) {
    List<Epoch> epochs = new ArrayList<>();
    ProgressLine progress = new ProgressLine(output);
    try {
      long[] before = {0, 0};
      for (int number = 1; number <= options.epochs(); number++) {
        Epoch epoch = new Epoch();
        int current = number;
        long start = System.nanoTime();
        feed.epoch(
            batch -> {
              epoch.add(batch);
              progress.update(
                  current,
                  before[0] + epoch.delivered(),
                  before[1] + epoch.bytes(),
                  feed.stats().held());
            });
        epoch.took((System.nanoTime() - start) / NANOS);
        before[0] += epoch.delivered();
        before[1] += epoch.bytes();
        epochs.add(epoch);
      }
      return epochs;
    } finally {
      progress.end();
    }
  }
}
