package dev.holdfast.cli.bench;

import dev.holdfast.loader.SubprocessOptions;

/** A worker without an arena: whole items travel through the channel. */
public final class ChannelTransport implements Transport {
  /** Made by the service loader. */
  public ChannelTransport() {}

  @Override
  public String name() {
    return "channel";
  }

  @Override
  public long bytesPerPass() {
    return SERIALIZED_BYTES_PER_PASS;
  }

  @Override
  public Session open(CellSpec cell) throws Exception {
    return WorkerSession.start(cell, SubprocessOptions.builder().bufferSize(cell.segments()));
  }
}
