package dev.holdfast.peers;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import java.util.concurrent.TimeUnit;

/** What both ends of the socket have in common. */
final class NettySocket {
  /** Before each item comes its length, as an int. */
  static final int HEADER_BYTES = Integer.BYTES;

  /** Asked for; the kernel may give less. */
  static final int SOCKET_BUFFER_BYTES = 1 << 20;

  /** How much is read from the socket at once. */
  static final int READ_BYTES = 256 << 10;

  private NettySocket() {}

  /** An event loop that ends without a quiet period when it is closed. */
  record Loop(EventLoopGroup group) implements AutoCloseable {
    private static final long LONGEST_END_SECONDS = 10;

    static Loop start() {
      return new Loop(
          new MultiThreadIoEventLoopGroup(1, Peers.threads("netty"), EpollIoHandler.newFactory()));
    }

    @Override
    public void close() {
      group
          .shutdownGracefully(0, LONGEST_END_SECONDS, TimeUnit.SECONDS)
          .awaitUninterruptibly(LONGEST_END_SECONDS, TimeUnit.SECONDS);
    }
  }
}
