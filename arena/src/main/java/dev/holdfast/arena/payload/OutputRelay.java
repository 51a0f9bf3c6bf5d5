package dev.holdfast.arena.payload;

import java.io.IOException;
import java.io.OutputStream;

/** Passes bytes on to a target that changes, and counts them. */
final class OutputRelay extends OutputStream {
  private OutputStream target = OutputStream.nullOutputStream();
  private long count;

  void target(OutputStream next) {
    target = next;
    count = 0;
  }

  long count() {
    return count;
  }

  @Override
  public void write(int value) throws IOException {
    target.write(value);
    count++;
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    target.write(bytes, offset, length);
    count += length;
  }
}
