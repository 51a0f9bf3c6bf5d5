package dev.holdfast.peers;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** Closes what was opened, the last first, and all of it whatever fails. */
final class Resources implements AutoCloseable {
  private final Deque<AutoCloseable> opened = new ArrayDeque<>();

  <T extends AutoCloseable> T add(T resource) {
    opened.push(resource);
    return resource;
  }

  @Override
  public void close() throws IOException {
    @Nullable Exception first = null;
    while (!opened.isEmpty()) {
      try {
        opened.pop().close();
      } catch (Exception e) {
        if (first == null) {
          first = e;
        } else {
          first.addSuppressed(e);
        }
      }
    }
    if (first != null) {
      throw new IOException("something is left open", first);
    }
  }
}
