package dev.holdfast.cli.demo;

import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.payload.ElementType;
import dev.holdfast.arena.payload.Tensor;
import java.io.Serializable;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;

/**
 * A run of files that follow each other: the pictures that came out of them and the files that gave
 * none.
 *
 * @param names the pictures' file names, in order
 * @param failures the other files, in order
 * @param pixels 32-bit floats from 0 to 255, number of pictures x 3 x 224 x 224
 */
record PictureBatch(List<String> names, List<PictureFailure> failures, Tensor pixels)
    implements Serializable {

  /** Returns the bytes of the pixels, when they are what the names promise. */
  MemorySegment checkedPixels() {
    long[] expected = shape(names.size());
    if (pixels.elementType() != ElementType.FLOAT32 || !Arrays.equals(pixels.shape(), expected)) {
      throw new IllegalStateException(
          FailureDetail.of("a batch has other pixels than its names promise")
              .with("elementType", pixels.elementType())
              .with("shape", Arrays.toString(pixels.shape()))
              .with("expected", Arrays.toString(expected))
              .message());
    }
    return pixels.segment();
  }

  private static long[] shape(int pictures) {
    return new long[] {pictures, PictureDecoder.CHANNELS, PictureDecoder.SIDE, PictureDecoder.SIDE};
  }
}
