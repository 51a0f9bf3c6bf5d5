package dev.holdfast.cli.bench;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.util.Iterator;

/** Writes the items of passes to a stream by Java serialization. */
final class ObjectSender {
  static final int BUFFER_BYTES = 64 << 10;

  private final PlainItems items;
  private final Iterable<Object> passes;
  private final ObjectOutputStream stream;

  ObjectSender(CellSpec cell, OutputStream target) throws IOException {
    items = new PlainItems(cell.payload());
    passes = new BenchSource(cell).passes();
    stream = new ObjectOutputStream(new BufferedOutputStream(target, BUFFER_BYTES));
    stream.flush(); // the reader waits for the header
  }

  /** Writes the items of the next pass. */
  void send() throws IOException {
    Iterator<Object> pass = passes.iterator();
    while (pass.hasNext()) {
      stream.writeObject(items.plain(pass.next()));
      stream.reset(); // the same array with other content would be written as a reference
    }
    stream.flush();
  }
}
