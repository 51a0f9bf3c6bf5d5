package dev.holdfast.acceptance.model;

import dev.holdfast.arena.Placement;
import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.arena.UnitReceipt;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.util.Base64;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** Arenas and units as words of text between a test and its child processes. */
final class Wire {
  private static final String END = ".";

  private Wire() {}

  static String ofArena(SharedMemoryArena arena) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(arena);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return Base64.getEncoder().encodeToString(bytes.toByteArray());
  }

  static SharedMemoryArena arena(String text) {
    byte[] bytes = Base64.getDecoder().decode(text);
    try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
      return (SharedMemoryArena) in.readObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(e);
    }
  }

  /** One binary a unit; the end mark tells a whole line from one that a kill has cut. */
  static String ofUnit(UnitReceipt receipt, Placement placement) {
    byte[] encoded = new byte[UnitReceipt.BYTES];
    receipt.encode(MemorySegment.ofArray(encoded), 0);
    return HexFormat.of().formatHex(encoded)
        + " "
        + placement.offset()
        + " "
        + placement.byteSize()
        + " "
        + END;
  }

  /** A unit that another process has committed. */
  record Received(UnitReceipt receipt, Placement placement) {}

  static @Nullable Received unit(String line) {
    String[] words = line.split(" ", -1);
    if (words.length != 4 || !words[3].equals(END)) {
      return null;
    }
    return new Received(
        UnitReceipt.decode(MemorySegment.ofArray(HexFormat.of().parseHex(words[0])), 0),
        new Placement(Long.parseLong(words[1]), Long.parseLong(words[2])));
  }
}
