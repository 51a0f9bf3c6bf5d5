package dev.holdfast.cli.demo;

import dev.holdfast.arena.payload.ElementType;
import dev.holdfast.loader.Collator;
import dev.holdfast.loader.WorkerContext;
import dev.holdfast.loader.WorkerSource;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;

/**
 * Decodes the pictures of a folder, batch by batch, where the consumer will read them. The folder
 * crosses as a URI, which has the bytes of its name whatever the locale says.
 *
 * @param folder the folder
 * @param batch pictures in a batch; the last one may have fewer
 */
record PictureSource(URI folder, int batch) implements WorkerSource<PictureBatch> {

  /** Lists the folder once; each iterator decodes all files anew. */
  @Override
  public Iterable<PictureBatch> open(WorkerContext context) throws IOException {
    PictureDecoder.prepareProcess();
    List<Path> files = Pictures.in(Path.of(folder));
    return () -> new Batches(context, files.iterator(), batch);
  }

  private static final class Batches implements Iterator<PictureBatch> {
    private final WorkerContext context;
    private final Iterator<Path> files;
    private final int batch;
    private final PictureDecoder decoder = new PictureDecoder();

    Batches(WorkerContext context, Iterator<Path> files, int batch) {
      this.context = context;
      this.files = files;
      this.batch = batch;
    }

    @Override
    public boolean hasNext() {
      return files.hasNext();
    }

    @Override
    public PictureBatch next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      Collator pixels =
          Collator.stack(
              context,
              batch,
              ElementType.FLOAT32,
              PictureDecoder.CHANNELS,
              PictureDecoder.SIDE,
              PictureDecoder.SIDE);
      List<String> names = new ArrayList<>();
      List<PictureFailure> failures = new ArrayList<>();
      while (!pixels.isFull() && files.hasNext()) {
        Path file = files.next();
        String name = Pictures.name(file);
        try {
          decoder.decode(file, pixels.slot().segment());
          pixels.keep();
          names.add(name);
        } catch (Exception | Error failure) {
          // Whatever a damaged picture makes the decoder throw, a StackOverflowError too, is that
          // file's failure.
          failures.add(PictureFailure.of(name, failure));
        }
      }
      return new PictureBatch(List.copyOf(names), List.copyOf(failures), pixels.batch());
    }
  }
}
