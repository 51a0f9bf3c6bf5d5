package dev.holdfast.cli.demo;

import dev.holdfast.cli.text.Output;
import dev.holdfast.cli.text.Sizes;
import dev.holdfast.cli.text.Words;

/**
 * One line on a terminal that is drawn over: items, items/s, MiB/s, units held. Prints nothing
 * elsewhere. Belongs to one thread, but for {@link #end}.
 */
final class ProgressLine {
  private static final long PERIOD_NANOS = 100_000_000;
  private static final double NANOS = 1e9;
  private static final String CLEAR_TO_END = "\033[K";

  private final Output output;
  private final long start = System.nanoTime();

  private long drawn = start - PERIOD_NANOS;
  private volatile boolean open;

  ProgressLine(Output output) {
    this.output = output;
  }

  void update(int epoch, long items, long bytes, long held) {
    long now = System.nanoTime();
    if (!output.terminal() || now - drawn < PERIOD_NANOS) {
      return;
    }
    drawn = now;
    open = true;
    double seconds = (now - start) / NANOS;
    output
        .human()
        .print(
            Words.format(
                "\repoch %d: %d items, %.0f items/s, %.1f MiB/s, %d units held%s",
                epoch, items, items / seconds, bytes / Sizes.MIB / seconds, held, CLEAR_TO_END));
    output.human().flush();
  }

  /** Leaves the line as it is and goes on below it. */
  void end() {
    if (open) {
      open = false;
      output.human().println();
    }
  }
}
