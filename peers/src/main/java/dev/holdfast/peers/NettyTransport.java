package dev.holdfast.peers;

import dev.holdfast.cli.bench.CellSpec;
import dev.holdfast.cli.bench.Session;
import dev.holdfast.cli.bench.Transport;
import java.util.List;

/**
 * Netty over a Unix-domain socket, on its native transport: direct buffers are written without a
 * copy of our own, read into pooled buffers, and copied from there into the item's.
 */
public final class NettyTransport implements Transport {
  /** Made by the service loader. */
  public NettyTransport() {}

  @Override
  public String name() {
    return "netty";
  }

  @Override
  public long bytesPerPass() {
    return 1L << 30;
  }

  @Override
  public List<String> jvmFlags() {
    return List.of("--sun-misc-unsafe-memory-access=allow");
  }

  @Override
  public Session open(CellSpec cell) throws Exception {
    Peers.requireBytes(cell);
    return NettySession.open(cell);
  }
}
