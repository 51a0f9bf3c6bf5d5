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
  private static final Shared NOTHING_SHARED = object -> Shared.NOT_SHARED;

  /** The objects of an item that stand beside the stream. */
  interface Shared {

    /** The answer for objects that belong into the stream. */
    int NOT_SHARED = -1;

    /** Returns the handle of an object beside the stream, else notes that the stream has it. */
    int handleOf(Object object);
  }

  private final SentDescriptors descriptors;
  private final byte[] number = new byte[Varint.MAX_BYTES];

  private BinarySink sink = NONE;
  private Shared shared = NOTHING_SHARED;

  ItemObjectOutput(OutputStream out, SentDescriptors descriptors) throws IOException {
    super(out);
    this.descriptors = descriptors;
    enableReplaceObject(true);
  }

  void writeItem(@Nullable Object item, BinarySink target) throws IOException {
    writePart(item, target, NOTHING_SHARED);
  }

  /** Writes one of several parts of an item, among which objects keep their identity. */
  void writePart(@Nullable Object part, BinarySink target, Shared beside) throws IOException {
    sink = target;
    shared = beside;
    try {
      writeObject(part);
      flush();
    } finally {
      sink = NONE;
      shared = NOTHING_SHARED;
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
    if (marker != BinarySink.INLINE) {
      return Marker.of(marker);
    }
    int handle = shared.handleOf(object);
    return handle == Shared.NOT_SHARED ? object : new SharedMarker(handle);
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
