package dev.holdfast.cli.demo;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Mean and population deviation of each channel over pictures whose values are whole numbers from 0
 * to 255. Belongs to one thread.
 */
final class PixelStatistics {
  /*
   * Sums of whole numbers are exact in a double up to 2^53, that is for more than 2.7 million pictures even of
   * squares. So they depend on no order, and whatever is computed from them is the same to the last bit however
   * the pictures were cut into batches. Values that are no whole numbers, as damaged bytes give, still change
   * the result, which is why nothing is rounded here.
   */
  private static final double LARGEST = 255;

  private final double[] sums = new double[PictureDecoder.CHANNELS];
  private final double[] squares = new double[PictureDecoder.CHANNELS];
  private long pictures;

  /** Adds pictures that lie one behind the other, three planes each. */
  void add(MemorySegment pixels, long count) {
    for (long picture = 0; picture < count; picture++) {
      for (int channel = 0; channel < PictureDecoder.CHANNELS; channel++) {
        addPlane(
            pixels, (picture * PictureDecoder.CHANNELS + channel) * PictureDecoder.PIXELS, channel);
      }
    }
    pictures += count;
  }

  private void addPlane(MemorySegment pixels, long first, int channel) {
    double sum = 0;
    double square = 0;
    for (int i = 0; i < PictureDecoder.PIXELS; i++) {
      double value = pixels.getAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, first + i);
      sum += value;
      square += value * value;
    }
    sums[channel] += sum;
    squares[channel] += square;
  }

  /** Returns each channel's mean on a scale from 0 to 1; nothing when there were no pictures. */
  double[] mean() {
    double[] mean = new double[pictures == 0 ? 0 : sums.length];
    for (int channel = 0; channel < mean.length; channel++) {
      mean[channel] = sums[channel] / values() / LARGEST;
    }
    return mean;
  }

  /**
   * Returns each channel's population deviation on a scale from 0 to 1; nothing when there were no
   * pictures.
   */
  double[] deviation() {
    double[] deviation = new double[pictures == 0 ? 0 : sums.length];
    for (int channel = 0; channel < deviation.length; channel++) {
      double mean = sums[channel] / values();
      double variance = squares[channel] / values() - mean * mean;
      deviation[channel] = Math.sqrt(variance < 0 ? 0 : variance) / LARGEST;
    }
    return deviation;
  }

  private double values() {
    return (double) pictures * PictureDecoder.PIXELS;
  }
}
