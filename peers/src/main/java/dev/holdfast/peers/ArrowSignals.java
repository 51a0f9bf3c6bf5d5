package dev.holdfast.peers;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** Numbers of places over a connected socket, one int each. Belongs to one thread at a time. */
final class ArrowSignals implements AutoCloseable {
  /** Says that the schema is there. */
  static final int SCHEMA = -1;

  private static final int NUMBERS_AT_ONCE = 64;

  private final SocketChannel socket;
  private final ByteBuffer sent = ByteBuffer.allocateDirect(Integer.BYTES);
  private final ByteBuffer received = ByteBuffer.allocateDirect(NUMBERS_AT_ONCE * Integer.BYTES);

  ArrowSignals(SocketChannel socket) {
    this.socket = socket;
    received.flip();
  }

  void send(int number) throws IOException {
    sent.clear().putInt(number).flip();
    while (sent.hasRemaining()) {
      if (socket.write(sent) < 0) {
        throw new EOFException("the other side has ended");
      }
    }
  }

  /** Returns the next number, and waits for it. */
  int receive() throws IOException {
    while (received.remaining() < Integer.BYTES) {
      received.compact();
      if (socket.read(received) < 0) {
        throw new EOFException("the other side has ended");
      }
      received.flip();
    }
    return received.getInt();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
