package dev.holdfast.peers;

import dev.holdfast.cli.bench.CellSpec;
import dev.holdfast.cli.bench.NotSupportedException;
import dev.holdfast.cli.bench.PassPlan;
import dev.holdfast.cli.bench.ProducerProcess;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import java.nio.file.Path;
import java.util.function.Consumer;

/**
 * The consuming end of the socket: the event loop fills frames, the consumer's thread takes them.
 */
final class NettySession extends PeerSession {
  private static final long LOOK_MILLIS = 200;

  private final NettyFrames frames;

  private NettySession(NettyFrames frames, ProducerProcess producer, Resources resources) {
    super(producer, resources);
    this.frames = frames;
  }

  static NettySession open(CellSpec cell) throws Exception {
    if (!Epoll.isAvailable()) {
      throw new NotSupportedException(
          "Netty has no native transport here: " + Epoll.unavailabilityCause());
    }
    Resources resources = new Resources();
    try {
      PeerFolder folder = resources.add(PeerFolder.create("netty", 0));
      Path socket = folder.path().resolve("socket");
      NettyFrames frames = new NettyFrames(Math.toIntExact(cell.sizeBytes()), cell.segments());
      Channel server = listen(resources.add(NettySocket.Loop.start()), socket, frames);
      resources.add(() -> server.close().sync());
      ProducerProcess producer =
          resources.add(ProducerProcess.start(cell, NettyProducer.class, socket.toString()));
      return new NettySession(frames, producer, resources);
    } catch (Exception | Error e) {
      try (resources) {
        throw e;
      }
    }
  }

  private static Channel listen(NettySocket.Loop loop, Path socket, NettyFrames frames)
      throws InterruptedException {
    return new ServerBootstrap()
        .group(loop.group())
        .channel(EpollServerDomainSocketChannel.class)
        .childOption(
            ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(NettySocket.READ_BYTES))
        .childHandler(
            new ChannelInitializer<>() {
              @Override
              protected void initChannel(Channel channel) {
                channel.pipeline().addLast(new NettyReceiver(frames));
              }
            })
        .bind(new DomainSocketAddress(socket.toString()))
        .sync()
        .channel();
  }

  @Override
  public void pass(PassPlan plan, Consumer<Object> consumer) throws Exception {
    producer.request(plan);
    for (int seen = 0; seen < plan.items(); seen++) {
      NettyFrames.Frame frame = frames.take(LOOK_MILLIS);
      while (frame == null) {
        producer.requireAlive();
        frame = frames.take(LOOK_MILLIS);
      }
      consumer.accept(frame.memory());
      frames.giveBack(frame);
    }
  }
}
