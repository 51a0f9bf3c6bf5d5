package dev.holdfast.arena.payload;

import java.io.StreamCorruptedException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Arrays of truth values, which travel as one byte each. */
final class BooleanArrayHandler implements PayloadHandler<boolean[]> {

  @Override
  public String kind() {
    return "boolean[]";
  }

  @Override
  public Class<boolean[]> type() {
    return boolean[].class;
  }

  @Override
  public MemorySegment bytes(boolean[] payload) {
    byte[] bytes = new byte[payload.length];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (payload[i] ? 1 : 0);
    }
    return MemorySegment.ofArray(bytes);
  }

  @Override
  public boolean aliases() {
    return false;
  }

  @Override
  public boolean[] restoreView(MemorySegment view, byte[] meta) throws StreamCorruptedException {
    return restoreCopy(view, meta, true);
  }

  @Override
  public boolean[] restoreCopy(MemorySegment bytes, byte[] meta, boolean writable)
      throws StreamCorruptedException {
    boolean[] copy = new boolean[StandardHandlers.elements(bytes, 1, kind())];
    for (int i = 0; i < copy.length; i++) {
      copy[i] = bytes.get(ValueLayout.JAVA_BYTE, i) != 0;
    }
    return copy;
  }
}
