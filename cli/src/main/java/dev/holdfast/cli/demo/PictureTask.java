package dev.holdfast.cli.demo;

import dev.holdfast.arena.payload.ElementType;
import dev.holdfast.arena.payload.Tensor;
import dev.holdfast.loader.WorkerContext;
import dev.holdfast.loader.pipeline.ContextFunction;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;

/**
 * The stage that decodes one file, where the consumer will read it. A file that gives no picture is
 * a result too, so that it keeps its place among the others.
 */
final class PictureTask implements ContextFunction<String, PictureBatch> {
  private static final long serialVersionUID = 1L;

  private static final ThreadLocal<PictureDecoder> DECODERS =
      ThreadLocal.withInitial(PictureDecoder::new);

  @Override
  public PictureBatch apply(String file, WorkerContext context) {
    Path path = Path.of(URI.create(file));
    String name = Pictures.name(path);
    try {
      Tensor pixels = context.allocate(ElementType.FLOAT32, shape(1));
      DECODERS.get().decode(path, pixels.segment());
      return new PictureBatch(List.of(name), List.of(), pixels);
    } catch (Exception | Error failure) {
      // Whatever a damaged picture makes the decoder throw, a StackOverflowError too, is that
      // file's
      // failure.
      return new PictureBatch(
          List.of(), List.of(PictureFailure.of(name, failure)), Tensor.of(new float[0], shape(0)));
    }
  }

  private static long[] shape(int pictures) {
    return new long[] {pictures, PictureDecoder.CHANNELS, PictureDecoder.SIDE, PictureDecoder.SIDE};
  }
}
