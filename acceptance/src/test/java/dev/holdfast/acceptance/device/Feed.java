package dev.holdfast.acceptance.device;

import dev.holdfast.arena.ArenaReader;
import dev.holdfast.arena.ArenaWriter;
import dev.holdfast.arena.OpenUnit;
import dev.holdfast.arena.Placement;
import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.arena.UnitLease;
import dev.holdfast.arena.UnitReceipt;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.arena.payload.ElementType;
import dev.holdfast.arena.payload.Tensor;
import dev.holdfast.testkit.Stamps;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** An arena whose two ends are in this process: stamped units go in, tensors on views come out. */
public final class Feed implements AutoCloseable {
  private final SharedMemoryArena arena;
  private final ArenaWriter writer;
  private final ArenaReader reader;

  /**
   * A restored unit.
   *
   * @param unit its number, which its stamps carry
   * @param tensors one for each binary, UINT8
   * @param lease ends the views
   */
  public record Received(long unit, List<Tensor> tensors, UnitLease lease) {

    /** Checks the stamps of a tensor on the host that should equal one of these. */
    public void verify(int index, Tensor tensor) {
      Stamps.verify(tensor.segment(), unit, index);
    }
  }

  /**
   * Opens both ends.
   *
   * @param arena closed and unlinked with this object
   */
  public Feed(SharedMemoryArena arena) {
    this.arena = arena;
    this.writer = arena.openWriter();
    try {
      this.reader = arena.openReader();
    } catch (RuntimeException | Error e) {
      writer.close();
      arena.close();
      arena.unlink();
      throw e;
    }
  }

  /** Returns the arena. */
  public SharedMemoryArena arena() {
    return arena;
  }

  /** Writes a unit and opens it. */
  public Received pass(ViewScope scope, long... sizes) {
    writer.beginUnit();
    long unit = writer.published();
    List<Placement> places = new ArrayList<>();
    for (long size : sizes) {
      places.add(writer.writeBinary(Stamps.payload((int) size, unit, places.size())));
    }
    UnitReceipt receipt = writer.commitUnit();
    reader.admit(receipt);
    OpenUnit open = reader.beginUnit(receipt, scope);
    List<Tensor> tensors = new ArrayList<>();
    try {
      for (Placement place : places) {
        MemorySegment view = open.readBinary(place.offset(), place.byteSize());
        tensors.add(Tensor.of(ElementType.UINT8, view, place.byteSize()));
      }
    } catch (RuntimeException | Error e) {
      open.endUnit(List.of()).close();
      throw e;
    }
    return new Received(unit, List.copyOf(tensors), open.endUnit(List.of()));
  }

  /** Writes and drops units, so that storage that was given back is written again. */
  public void overwrite(int units, long size) {
    for (int i = 0; i < units; i++) {
      pass(ViewScope.CONFINED, size).lease().close();
    }
  }

  /**
   * Ends everything; each step is tried whatever the others do, and may be tried again by another
   * call.
   */
  @Override
  public void close() {
    try (SharedMemoryArena _ = arena) {
      writer.close();
      reader.close();
    } finally {
      arena.unlink();
    }
  }
}
