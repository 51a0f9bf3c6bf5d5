/** The {@code holdfast} command. */
module dev.holdfast.cli {
  requires static org.jspecify;
  requires HdrHistogram;
  requires dev.holdfast.cuda;
  requires dev.holdfast.loader;
  requires info.picocli;
  requires java.desktop;
  requires java.management;

  exports dev.holdfast.cli;

  opens dev.holdfast.cli to
      info.picocli;

  uses dev.holdfast.cli.bench.Transport;

  provides dev.holdfast.cli.bench.Transport with
      dev.holdfast.cli.bench.MemcpyTransport,
      dev.holdfast.cli.bench.PoolTransport,
      dev.holdfast.cli.bench.PoolInPlaceTransport,
      dev.holdfast.cli.bench.RingTransport,
      dev.holdfast.cli.bench.ChannelTransport,
      dev.holdfast.cli.bench.PipeTransport,
      dev.holdfast.cli.bench.SocketTransport,
      dev.holdfast.cli.bench.FutexTransport,
      dev.holdfast.cli.bench.InlineTransport;
}
