package dev.holdfast.acceptance.worker;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/** An agent that can be in one process only: it takes a port and keeps it. */
public final class PortAgent {
  private static ServerSocket taken;

  private PortAgent() {}

  /**
   * Called by the JVM ahead of the main method.
   *
   * @param port to be taken
   * @throws IOException when somebody has it already, which ends the JVM
   */
  public static void premain(String port) throws IOException {
    taken = new ServerSocket(Integer.parseInt(port), 1, InetAddress.getLoopbackAddress());
    if (!taken.isBound()) {
      throw new IOException("not bound: " + port);
    }
  }
}
