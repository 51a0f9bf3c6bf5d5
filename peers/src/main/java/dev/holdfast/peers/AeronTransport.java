package dev.holdfast.peers;

import dev.holdfast.cli.bench.CellSpec;
import dev.holdfast.cli.bench.Session;
import dev.holdfast.cli.bench.Transport;
import java.util.List;

/**
 * Aeron IPC: a stream of chunks through a log in shared memory. Messages of Aeron end at 16 MiB,
 * and its authors advise to cut bulk data into chunks of a fragment's size that are written with
 * {@code tryClaim} and put together by the receiver; so it is done here, and items of all sizes
 * pass.
 */
public final class AeronTransport implements Transport {
  /** Made by the service loader. */
  public AeronTransport() {}

  @Override
  public String name() {
    return "aeron";
  }

  @Override
  public List<String> jvmFlags() {
    return List.of("--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED");
  }

  @Override
  public Session open(CellSpec cell) throws Exception {
    Peers.requireBytes(cell);
    return AeronSession.open(cell);
  }
}
