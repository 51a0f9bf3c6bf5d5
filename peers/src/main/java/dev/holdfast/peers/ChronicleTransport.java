package dev.holdfast.peers;

import dev.holdfast.cli.bench.CellSpec;
import dev.holdfast.cli.bench.NotSupportedException;
import dev.holdfast.cli.bench.Session;
import dev.holdfast.cli.bench.Transport;
import java.util.List;

/**
 * Chronicle Queue: documents appended to a mapped file, read by a tailer where they lie. The queue
 * has no back-pressure and never uses a file again, so it is made to begin a new file after some
 * documents, and files that were read are removed.
 */
public final class ChronicleTransport implements Transport {
  /** A document's length has 30 bits. */
  private static final long LARGEST_BYTES = (1L << 30) - (1L << 20);

  private static final long BYTES_PER_PASS = 1L << 30;

  /** Made by the service loader. */
  public ChronicleTransport() {}

  @Override
  public String name() {
    return "chronicle";
  }

  @Override
  public long bytesPerPass() {
    return BYTES_PER_PASS;
  }

  @Override
  public List<String> jvmFlags() {
    return List.of(
        "--add-opens=java.base/java.lang=ALL-UNNAMED",
        "--add-opens=java.base/java.lang.reflect=ALL-UNNAMED",
        "--add-opens=java.base/java.nio=ALL-UNNAMED",
        "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
        "--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED",
        "--sun-misc-unsafe-memory-access=allow",
        "-Dchronicle.analytics.disable=true");
  }

  @Override
  public Session open(CellSpec cell) throws Exception {
    Peers.requireBytes(cell);
    if (cell.sizeBytes() > LARGEST_BYTES) {
      throw new NotSupportedException("a document is shorter than 1 GiB");
    }
    return ChronicleSession.open(cell);
  }
}
