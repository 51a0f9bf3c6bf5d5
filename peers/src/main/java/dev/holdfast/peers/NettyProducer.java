package dev.holdfast.peers;

import dev.holdfast.cli.bench.CellSpec;
import dev.holdfast.cli.bench.PassPlan;
import dev.holdfast.cli.bench.ProducerEnd;
import dev.holdfast.cli.bench.Stamps;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The producing end of the socket. Items lie in two buffers in turn, so that one can be stamped
 * while the event loop writes the other.
 */
public final class NettyProducer implements ProducerEnd {
  private static final int SOURCES = 2;

  private final Resources resources = new Resources();
  private final List<Source> sources = new ArrayList<>();
  private @Nullable Channel channel;

  /** Made in the producer's process. */
  public NettyProducer() {}

  private static final class Source {
    private final MemorySegment bytes;
    private final ByteBuffer buffer;
    private @Nullable ChannelFuture written;

    Source(MemorySegment bytes) {
      this.bytes = bytes;
      this.buffer = bytes.asByteBuffer();
    }

    void await() throws InterruptedException {
      ChannelFuture last = written;
      if (last != null) {
        written = null;
        last.sync();
      }
    }
  }

  @Override
  public void open(CellSpec cell, String address, OutputStream out) throws InterruptedException {
    for (int i = 0; i < SOURCES; i++) {
      sources.add(new Source(cell.payload().newBytes(cell.sizeBytes())));
    }
    NettySocket.Loop loop = resources.add(NettySocket.Loop.start());
    Channel made =
        new Bootstrap()
            .group(loop.group())
            .channel(EpollDomainSocketChannel.class)
            .option(ChannelOption.SO_SNDBUF, NettySocket.SOCKET_BUFFER_BYTES)
            .handler(new ChannelInboundHandlerAdapter())
            .connect(new DomainSocketAddress(address))
            .sync()
            .channel();
    resources.add(() -> made.close().sync());
    channel = made;
  }

  @Override
  public void produce(PassPlan plan) throws Exception {
    Channel target = channel;
    if (target == null) {
      throw new IllegalStateException("not open");
    }
    Peers.delay(plan);
    for (int unit = 0; unit < plan.items(); unit++) {
      Source source = sources.get(unit % SOURCES);
      source.await();
      Stamps.write(source.bytes, plan, unit);
      source.written = send(target, source.buffer);
    }
    for (Source source : sources) {
      source.await();
    }
  }

  /** A failed write of the header fails that of the item too. */
  private static ChannelFuture send(Channel target, ByteBuffer item) {
    ByteBuf header = target.alloc().directBuffer(NettySocket.HEADER_BYTES);
    var _ = target.write(header.writeInt(item.capacity()), target.voidPromise());
    return target.writeAndFlush(Unpooled.wrappedBuffer(item.duplicate()));
  }

  @Override
  public void close() throws IOException {
    resources.close();
  }
}
