package dev.holdfast.cli.demo;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What one pass over the pictures gave. Belongs to the thread that runs the pass. */
final class Epoch {
  private final PixelStatistics statistics = new PixelStatistics();
  private final List<PictureFailure> failures = new ArrayList<>();
  private long delivered;
  private long bytes;
  private double seconds;

  void add(PictureBatch batch) {
    statistics.add(batch.checkedPixels(), batch.names().size());
    failures.addAll(batch.failures());
    delivered += batch.names().size();
    bytes += batch.pixels().byteSize();
  }

  void took(double newSeconds) {
    seconds = newSeconds;
  }

  /** Returns whether another pass gave the same, to the last bit. */
  boolean agrees(Epoch other) {
    return delivered == other.delivered
        && bytes == other.bytes
        && failures.equals(other.failures)
        && Arrays.equals(mean(), other.mean())
        && Arrays.equals(deviation(), other.deviation());
  }

  double[] mean() {
    return statistics.mean();
  }

  double[] deviation() {
    return statistics.deviation();
  }

  List<PictureFailure> failures() {
    return failures;
  }

  long delivered() {
    return delivered;
  }

  long bytes() {
    return bytes;
  }

  double seconds() {
    return seconds;
  }
}
