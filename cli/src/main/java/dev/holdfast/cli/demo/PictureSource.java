package dev.holdfast.cli.demo;

import dev.holdfast.loader.WorkerContext;
import dev.holdfast.loader.WorkerSource;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;

/**
 * Decodes the pictures of a folder, batch by batch. The folder crosses as a URI, which has the
 * bytes of its name whatever the locale says.
 *
 * @param folder the folder
 * @param batch pictures in a batch; the last one may have fewer
 */
record PictureSource(URI folder, int batch) implements WorkerSource<PictureBatch> {

  @Override
  public Iterable<PictureBatch> open(WorkerContext context) throws IOException {
    return batches();
  }

  /** Lists the folder once; each iterator decodes all files anew. */
  Iterable<PictureBatch> batches() throws IOException {
    PictureDecoder.prepareProcess();
    List<Path> files = Pictures.in(Path.of(folder));
    MemorySegment pixels = Arena.ofAuto().allocate(batch * PictureDecoder.BYTES, 64);
    return () -> new Batches(files.iterator(), batch, pixels);
  }

  /** A batch's pixels are good until the next batch is asked for: all batches share them. */
  private static final class Batches implements Iterator<PictureBatch> {
    private final Iterator<Path> files;
    private final int batch;
    private final MemorySegment pixels;
    private final PictureDecoder decoder = new PictureDecoder();

    Batches(Iterator<Path> files, int batch, MemorySegment pixels) {
      this.files = files;
      this.batch = batch;
      this.pixels = pixels;
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
      List<String> names = new ArrayList<>();
      List<PictureFailure> failures = new ArrayList<>();
      while (names.size() < batch && files.hasNext()) {
        Path file = files.next();
        String name = Pictures.name(file);
        try {
          decoder.decode(file, pixels.asSlice(names.size() * PictureDecoder.BYTES));
          names.add(name);
        } catch (Exception | Error failure) {
          // Whatever a damaged picture makes the decoder throw, a StackOverflowError too, is that
          // file's failure.
          failures.add(PictureFailure.of(name, failure));
        }
      }
      return PictureBatch.of(names, failures, pixels);
    }
  }
}
