package dev.holdfast.arena.payload;

import dev.holdfast.arena.OpenUnit;
import dev.holdfast.arena.internal.core.CuttableUnit;
import java.io.IOException;
import java.io.InvalidObjectException;
import java.io.StreamCorruptedException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Makes the binaries of one item, each at its first use. One thread's. */
final class RestoreSource implements BinarySource {
  private final Envelope envelope;
  private final @Nullable OpenUnit unit;
  private final boolean copies;
  private final boolean writable;
  private final @Nullable Object[] restored;

  private @Nullable Throwable failure;

  RestoreSource(Envelope envelope, @Nullable OpenUnit unit, boolean copies, boolean writable) {
    this.envelope = envelope;
    this.unit = unit;
    this.copies = copies;
    this.writable = writable;
    this.restored = new Object[envelope.all().size()];
  }

  /** Throws what a binary failed with, also when code of the item has caught it. */
  void rethrowFailure() throws IOException {
    switch (failure) {
      case null -> {}
      case IOException e -> throw e;
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      default -> throw new InvalidObjectException("a binary could not be restored", failure);
    }
  }

  @Override
  public Object binary(int number) throws IOException {
    try {
      if (number < 0 || number >= restored.length) {
        throw Corruption.record("marker %d of %d".formatted(number, restored.length));
      }
      Object known = restored[number];
      if (known == null) {
        known = make(envelope.all().get(number));
        restored[number] = known;
      }
      return known;
    } catch (Throwable e) {
      failure = e;
      throw e;
    }
  }

  private Object make(Envelope.Binary binary) throws IOException {
    PayloadHandler<?> handler = binary.handler();
    if (handler == null) {
      throw new InvalidObjectException(
          "no payload handler has the kind of a binary: kind=%s; register the handler on both sides"
              .formatted(binary.kind()));
    }
    boolean view = binary.inArena() && !copies && handler.aliases();
    MemorySegment bytes = binary.inArena() ? inArena(binary, view) : inline(binary);
    Object made = make(handler, binary, bytes, view);
    if (binary.inArena() && unit instanceof CuttableUnit cuttable) {
      cuttable.settle();
    }
    if (!handler.type().isInstance(made)) {
      throw new InvalidObjectException(
          "a payload handler has made an object of another type: kind=%s expected=%s"
              .formatted(binary.kind(), handler.type().getTypeName()));
    }
    return made;
  }

  private Object make(
      PayloadHandler<?> handler, Envelope.Binary binary, MemorySegment bytes, boolean view)
      throws IOException {
    try {
      return view
          ? handler.restoreView(bytes, binary.meta())
          : handler.restoreCopy(bytes, binary.meta(), writable);
    } catch (StreamCorruptedException e) {
      throw Corruption.record(e);
    } catch (InternalError e) {
      // The JVM throws it when the file behind a mapping has lost the page.
      throw unit instanceof CuttableUnit cuttable ? cuttable.fault(e) : Corruption.record(e);
    } catch (RuntimeException e) {
      throw new InvalidObjectException(
          "a payload handler has failed: kind=%s cause=%s"
              .formatted(binary.kind(), e.getClass().getName()),
          e);
    }
  }

  private MemorySegment inArena(Envelope.Binary binary, boolean view) {
    if (unit == null) {
      throw Corruption.record("a binary lies in the arena and no unit is open");
    }
    MemorySegment bytes =
        view
            ? unit.readBinary(binary.offset(), binary.byteSize())
            : unit.peekBinary(binary.offset(), binary.byteSize());
    if (bytes.byteSize() != binary.byteSize()) {
      throw Corruption.record(
          "the arena gave %d bytes of %d".formatted(bytes.byteSize(), binary.byteSize()));
    }
    return bytes;
  }

  private MemorySegment inline(Envelope.Binary binary) {
    return MemorySegment.ofArray(envelope.bytes())
        .asSlice(binary.offset(), binary.byteSize())
        .asReadOnly();
  }
}
