package dev.holdfast.arena.payload;

import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;

/**
 * An object stream without a header that puts markers in the place of binaries and numbers in that
 * of classes.
 */
final class ItemObjectOutput extends ObjectOutputStream {
  private static final BinarySink NONE = leaf -> BinarySink.INLINE;

  private final SentDescriptors descriptors;
  private final byte[] number = new byte[Varint.MAX_BYTES];

  private BinarySink sink = NONE;

  ItemObjectOutput(OutputStream out, SentDescriptors descriptors) throws IOException {
    super(out);
    this.descriptors = descriptors;
    enableReplaceObject(true);
  }

  void writeItem(@Nullable Object item, BinarySink target) throws IOException {
    sink = target;
    try {
      writeObject(item);
      flush();
    } finally {
      sink = NONE;
    }
  }

  /** Drops all references to what was written; what this writes is not part of an item. */
  void forget() throws IOException {
    reset();
    flush();
  }

  @Override
  protected void writeStreamHeader() {}

  @Override
  protected @Nullable Object replaceObject(@Nullable Object object) throws IOException {
    if (object == null || object instanceof String || object instanceof Marker) {
      return object;
    }
    int marker = sink.offer(object);
    return marker == BinarySink.INLINE ? object : Marker.of(marker);
  }

  @Override
  protected void writeClassDescriptor(ObjectStreamClass descriptor) throws IOException {
    int id = descriptors.idOf(descriptor);
    write(number, 0, Varint.write(number, 0, id));
    if (id == SentDescriptors.IN_FULL) {
      super.writeClassDescriptor(descriptor);
    }
  }
}
