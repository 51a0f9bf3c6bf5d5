package dev.holdfast.cli.bench;

import java.io.IOException;
import java.io.OutputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Java serialization over a Unix-domain socket to a worker process. */
public final class SocketTransport implements Transport {
  /** Made by the service loader. */
  public SocketTransport() {}

  @Override
  public String name() {
    return "socket";
  }

  @Override
  public long bytesPerPass() {
    return SERIALIZED_BYTES_PER_PASS;
  }

  @Override
  public Session open(CellSpec cell) throws IOException {
    Path folder = Files.createTempDirectory("holdfast-bench");
    Path name = folder.resolve("socket");
    try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      server.bind(UnixDomainSocketAddress.of(name));
      server.configureBlocking(false);
      ProducerProcess producer = ProducerProcess.start(cell, Writer.class, name.toString());
      try {
        SocketChannel socket = producer.accept(server);
        return new SerializedSession(cell, producer, Channels.newInputStream(socket));
      } catch (IOException | RuntimeException e) {
        producer.close();
        throw e;
      }
    } finally {
      // connected sockets need no name
      Files.deleteIfExists(name);
      Files.delete(folder);
    }
  }

  /** The worker's end. */
  static final class Writer implements ProducerEnd {
    private @Nullable SocketChannel socket;
    private @Nullable ObjectSender sender;

    Writer() {}

    @Override
    public void open(CellSpec cell, String address, OutputStream out) throws IOException {
      SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(address));
      socket = channel;
      sender = new ObjectSender(cell, Channels.newOutputStream(channel));
    }

    @Override
    public void produce(PassPlan plan) throws IOException {
      Objects.requireNonNull(sender, "not open").send();
    }

    @Override
    public void close() throws IOException {
      if (socket != null) {
        socket.close();
      }
    }
  }
}
