package dev.holdfast.loader.internal.launch;

import dev.holdfast.arena.internal.os.Descriptors;
import java.io.Closeable;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;

/**
 * A pipe for what a worker writes, to be closed when the worker has been started, which from then
 * on alone has the end to write.
 *
 * <p>The pipes of {@link Process} are emptied and closed by the JDK when the process ends, under
 * the hands of whoever is reading, and nothing in its documentation says what that reader still
 * gets.
 */
final class OutputPipe implements Closeable {
  private static final String DESCRIPTORS = "/proc/self/fd/";

  private final int writeEnd;
  private final InputStream reader;
  private boolean taken;

  private OutputPipe(int writeEnd, InputStream reader) {
    this.writeEnd = writeEnd;
    this.reader = reader;
  }

  static OutputPipe open() throws IOException {
    int[] ends = Descriptors.pipe();
    try {
      return new OutputPipe(ends[1], new FileInputStream(DESCRIPTORS + ends[0]));
    } catch (IOException | RuntimeException | Error e) {
      Descriptors.close(ends[1]);
      throw e;
    } finally {
      Descriptors.close(ends[0]);
    }
  }

  /** Returns where the worker is to write. */
  ProcessBuilder.Redirect writeEnd() {
    return ProcessBuilder.Redirect.to(new File(DESCRIPTORS + writeEnd));
  }

  /** Returns what comes, which is the caller's to close. */
  InputStream takeReader() {
    taken = true;
    return reader;
  }

  @Override
  public void close() throws IOException {
    try {
      Descriptors.close(writeEnd);
    } finally {
      if (!taken) {
        reader.close();
      }
    }
  }
}
