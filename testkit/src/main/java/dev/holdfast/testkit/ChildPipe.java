package dev.holdfast.testkit;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A pipe for what a child writes, with a name for as long as the child is being started. The pipes
 * of {@link Process} are emptied and closed by the JDK when the process ends, beside the reader,
 * and what a child that was killed had said last must be complete.
 */
final class ChildPipe implements AutoCloseable {
  private static final int OWNER_ONLY = 0600;
  private static final AtomicLong NUMBER = new AtomicLong();

  private final Path path;
  private final RandomAccessFile keeper;
  private final InputStream reader;
  private boolean taken;

  ChildPipe() throws IOException {
    path =
        Path.of(System.getProperty("java.io.tmpdir"))
            .resolve("child-" + ProcessHandle.current().pid() + "-" + NUMBER.incrementAndGet());
    make(path);
    keeper = new RandomAccessFile(path.toFile(), "rw"); // or the next line waited for a writer
    reader = new FileInputStream(path.toFile());
  }

  private static final class MkFifo {
    @SuppressWarnings("restricted") // mkfifo(3), which the JDK has no call for
    static final MethodHandle HANDLE =
        Linker.nativeLinker()
            .downcallHandle(
                Linker.nativeLinker().defaultLookup().find("mkfifo").orElseThrow(),
                FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT));
  }

  private static void make(Path path) throws IOException {
    int result;
    try (Arena arena = Arena.ofConfined()) {
      result = (int) MkFifo.HANDLE.invokeExact(arena.allocateFrom(path.toString()), OWNER_ONLY);
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
    if (result != 0) {
      throw new IOException("no pipe can be made: " + path);
    }
  }

  /** Where the child is to write. */
  ProcessBuilder.Redirect end() {
    return ProcessBuilder.Redirect.to(path.toFile());
  }

  /** Returns what comes, which is the caller's to close; it ends when all that write have ended. */
  InputStream takeReader() {
    taken = true;
    return reader;
  }

  /** To be closed when the child has started, which from then on alone keeps the pipe. */
  @Override
  public void close() throws IOException {
    try (keeper) {
      Files.deleteIfExists(path);
      if (!taken) {
        reader.close();
      }
    }
  }
}
