package dev.holdfast.examples;

import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.arena.StorageHold;
import dev.holdfast.arena.payload.Tensor;
import dev.holdfast.loader.Lease;
import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.SubprocessOptions;
import dev.holdfast.loader.WorkerSource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.CompletionHandler;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.concurrent.Phaser;
import java.util.stream.IntStream;

/**
 * Writes tensors from shared memory to a file while the loop goes on. The write goes on after the
 * lease is closed, so a hold keeps the bytes in place, and whoever finishes the write closes it.
 */
public final class WriteInBackground {
  private static final int BLOCKS = 16;
  private static final int FLOATS = 250_000;

  private WriteInBackground() {}

  /**
   * Runs the example.
   *
   * @param args the file to write, or nothing for a temporary one
   * @throws IOException when the file cannot be written
   */
  public static void main(String[] args) throws IOException {
    Path path = args.length > 0 ? Path.of(args[0]) : Files.createTempFile("holdfast-", ".floats");
    WorkerSource<Tensor> blocks =
        context -> () -> IntStream.range(0, BLOCKS).mapToObj(WriteInBackground::block).iterator();
    SharedMemorySegmentPool pool = new SharedMemorySegmentPool(FLOATS * (long) Float.BYTES, 6);
    SubprocessOptions options = SubprocessOptions.builder().arena(pool).build();

    Phaser writing = new Phaser(1);
    try (SubprocessIterable<Tensor> items = Subprocess.iterate(blocks, options);
        AsynchronousFileChannel file =
            AsynchronousFileChannel.open(
                path, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      long position = 0;
      for (Lease<Tensor> taken : items.leases()) {
        try (Lease<Tensor> lease = taken) {
          writing.register();
          new Write(file, lease.hold(), writing).start(position);
          position += lease.item().byteSize();
        } // the lease ends here, the write goes on
      }
      writing.arriveAndAwaitAdvance();
    }
    System.out.println("wrote " + Files.size(path) + " bytes");
    if (args.length == 0) {
      Files.delete(path);
    }
  }

  private static Tensor block(int number) {
    float[] values = new float[FLOATS];
    Arrays.fill(values, number);
    return Tensor.of(values, FLOATS);
  }

  /** One write, in as many steps as the system wants. Its buffer may be used by any thread. */
  private static final class Write implements CompletionHandler<Integer, Long> {
    private final AsynchronousFileChannel file;
    private final StorageHold hold;
    private final ByteBuffer bytes;
    private final Phaser writing;

    Write(AsynchronousFileChannel file, StorageHold hold, Phaser writing) {
      this.file = file;
      this.hold = hold;
      this.bytes = hold.buffer();
      this.writing = writing;
    }

    void start(long position) {
      file.write(bytes, position, position, this);
    }

    @Override
    public void completed(Integer written, Long position) {
      if (bytes.hasRemaining()) {
        start(position + written);
      } else {
        end();
      }
    }

    @Override
    public void failed(Throwable reason, Long position) {
      System.err.println("not written at " + position + ": " + reason);
      end();
    }

    private void end() {
      hold.close();
      writing.arriveAndDeregister();
    }
  }
}
