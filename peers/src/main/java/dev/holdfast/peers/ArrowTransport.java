package dev.holdfast.peers;

import dev.holdfast.cli.bench.CellSpec;
import dev.holdfast.cli.bench.Session;
import dev.holdfast.cli.bench.Transport;
import java.util.List;

/**
 * Arrow IPC over a mapped file: the producer's stream writer puts record batches into places of the
 * file, the consumer loads each batch where it lies. Arrow has no hand-over of its own; a
 * Unix-domain socket says which places are full and which are free.
 */
public final class ArrowTransport implements Transport {
  /** Made by the service loader. */
  public ArrowTransport() {}

  @Override
  public String name() {
    return "arrow";
  }

  @Override
  public List<String> jvmFlags() {
    return List.of(
        "--add-opens=java.base/java.nio=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow");
  }

  @Override
  public Session open(CellSpec cell) throws Exception {
    Peers.requireBytes(cell);
    return ArrowSession.open(cell);
  }
}
