package dev.holdfast.acceptance.arena;

import dev.holdfast.arena.ArenaReader;
import dev.holdfast.arena.ArenaWriter;
import dev.holdfast.arena.OpenUnit;
import dev.holdfast.arena.Placement;
import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.arena.UnitReceipt;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.testkit.Stamps;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * An arena with the endpoints that this process uses, opened on first use. Closing closes and
 * unlinks all of it. Units are stamped with their own number.
 */
final class Rig implements AutoCloseable {
  final SharedMemoryArena arena;
  private ArenaWriter writer;
  private ArenaReader reader;
  private long epoch;

  Rig(SharedMemoryArena arena) {
    this.arena = arena;
  }

  synchronized ArenaWriter writer() {
    if (writer == null) {
      writer = arena.openWriter();
    }
    return writer;
  }

  synchronized ArenaReader reader() {
    if (reader == null) {
      reader = arena.openReader();
    }
    return reader;
  }

  void nextEpoch() {
    epoch++;
    writer().reset();
    reader().reset();
  }

  /**
   * Writes and commits a unit with one stamped binary for each size, or aborts it when that fails.
   */
  Sent write(long... sizes) {
    writer().beginUnit();
    try {
      List<Placement> placements = writeBinaries(sizes);
      long unit = writer().published();
      UnitReceipt receipt = writer().commitUnit();
      return new Sent(receipt, placements, unit, epoch);
    } catch (RuntimeException | Error e) {
      writer().abortUnit();
      throw e;
    }
  }

  /** Writes binaries into the unit that is open. */
  List<Placement> writeBinaries(long... sizes) {
    List<Placement> placements = new ArrayList<>();
    for (long size : sizes) {
      MemorySegment payload =
          Stamps.payload((int) size, writer().published(), Sent.epochOf(epoch, placements.size()));
      placements.add(writer().writeBinary(payload));
    }
    return placements;
  }

  List<Sent> writeMany(int count, long size) {
    List<Sent> sent = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      sent.add(write(size));
    }
    return sent;
  }

  Sent admit(Sent sent) {
    reader().admit(sent.receipt());
    return sent;
  }

  /** Opens an admitted unit with all its views and checks them. */
  Opened open(Sent sent, ViewScope scope) {
    OpenUnit open = reader().beginUnit(sent.receipt(), scope);
    List<MemorySegment> views = new ArrayList<>();
    for (Placement placement : sent.placements()) {
      views.add(open.readBinary(placement.offset(), placement.byteSize()));
    }
    return new Opened(sent, List.copyOf(views), open.endUnit(List.of())).verify();
  }

  Opened admitAndOpen(Sent sent, ViewScope scope) {
    return open(admit(sent), scope);
  }

  void admitAndDiscard(Sent sent) {
    reader().discard(admit(sent).receipt());
  }

  /** Writes, admits, opens, checks and closes units that follow each other. */
  void passThrough(int count, long size) {
    for (int i = 0; i < count; i++) {
      admitAndOpen(write(size), ViewScope.CONFINED).close();
    }
  }

  long reclaimed() {
    return arena.stats().reclaimed();
  }

  @Override
  public void close() {
    if (writer != null) {
      writer.close();
    }
    if (reader != null) {
      reader.close();
    }
    arena.close();
    arena.unlink();
  }
}
