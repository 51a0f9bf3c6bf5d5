package dev.holdfast.peers;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Cuts the stream into frames. A read buffer is copied into the frame and given back at once, so
 * that nothing is gathered and merged. Runs on the event loop alone.
 */
final class NettyReceiver extends ChannelInboundHandlerAdapter {
  private final NettyFrames frames;
  private final Deque<ByteBuf> pending = new ArrayDeque<>();
  private NettyFrames.@Nullable Frame frame;
  private int header;
  private int headerBytes;

  NettyReceiver(NettyFrames frames) {
    this.frames = frames;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) throws IOException {
    pending.add((ByteBuf) message);
    drain(context);
  }

  private void drain(ChannelHandlerContext context) throws IOException {
    while (!pending.isEmpty()) {
      ByteBuf read = pending.peek();
      if (frame == null && readHeader(read)) {
        frame = frames.empty(() -> context.executor().execute(() -> resume(context)));
        if (frame == null) {
          context.channel().config().setAutoRead(false);
          return;
        }
      }
      if (frame != null) {
        fill(read, frame);
      }
      if (!read.isReadable()) {
        pending.remove();
        read.release();
      }
    }
  }

  /** Returns whether the header of the next frame is complete. */
  private boolean readHeader(ByteBuf read) throws IOException {
    while (headerBytes < NettySocket.HEADER_BYTES && read.isReadable()) {
      header = header << Byte.SIZE | read.readUnsignedByte();
      headerBytes++;
    }
    if (headerBytes < NettySocket.HEADER_BYTES) {
      return false;
    }
    if (header != frames.sizeBytes()) {
      throw new IOException("a frame has another length: bytes=" + header);
    }
    return true;
  }

  private void fill(ByteBuf read, NettyFrames.Frame target) {
    ByteBuffer buffer = target.buffer();
    buffer.limit(buffer.position() + Math.min(buffer.remaining(), read.readableBytes()));
    read.readBytes(buffer);
    buffer.limit(buffer.capacity());
    if (!buffer.hasRemaining()) {
      header = 0;
      headerBytes = 0;
      frame = null;
      frames.filled(target);
    }
  }

  private void resume(ChannelHandlerContext context) {
    try {
      drain(context);
      if (pending.isEmpty()) {
        context.channel().config().setAutoRead(true);
      }
    } catch (IOException e) {
      exceptionCaught(context, e);
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    while (!pending.isEmpty()) {
      pending.remove().release();
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    frames.failed(cause);
    var _ = context.close();
  }
}
