package dev.holdfast.arena.internal.ring;

import dev.holdfast.arena.ArenaReader;
import dev.holdfast.arena.ArenaWriter;
import dev.holdfast.arena.OpenUnit;
import dev.holdfast.arena.Placement;
import dev.holdfast.arena.SharedMemoryRingBuffer;
import dev.holdfast.arena.UnitLease;
import dev.holdfast.arena.UnitReceipt;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.testkit.Stamps;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assertions;

/** A ring with both endpoints in this process. */
final class RingRig implements AutoCloseable {
  final SharedMemoryRingBuffer ring;
  final ArenaWriter writer;
  final ArenaReader reader;

  /** A committed unit. */
  record Sent(UnitReceipt receipt, List<Placement> placements) {
    long unit() {
      return receipt.unit();
    }
  }

  /** An opened unit. */
  record Kept(Sent sent, List<MemorySegment> views, UnitLease lease) {
    void verify() {
      for (int i = 0; i < views.size(); i++) {
        Stamps.verify(views.get(i), sent.unit(), i);
      }
    }
  }

  RingRig(SharedMemoryRingBuffer ring) {
    this.ring = ring;
    this.writer = ring.openWriter();
    this.reader = ring.openReader();
  }

  /** A ring that never waits. */
  static RingRig of(long capacity) {
    return new RingRig(
        SharedMemoryRingBuffer.builder(capacity).acquireTimeout(Duration.ZERO).build());
  }

  /** Commits a unit of binaries, each stamped with the unit's number and its own. */
  Sent write(int... sizes) {
    writer.beginUnit();
    try {
      List<Placement> placements = new ArrayList<>();
      for (int i = 0; i < sizes.length; i++) {
        placements.add(writer.writeBinary(Stamps.payload(sizes[i], writer.published(), i)));
      }
      return new Sent(writer.commitUnit(), placements);
    } catch (RuntimeException e) {
      writer.abortUnit();
      throw e;
    }
  }

  Sent admit(Sent sent) {
    reader.admit(sent.receipt);
    return sent;
  }

  Kept open(Sent sent, ViewScope scope) {
    OpenUnit open = reader.beginUnit(sent.receipt, scope);
    List<MemorySegment> views = new ArrayList<>();
    for (Placement placement : sent.placements) {
      views.add(open.readBinary(placement.offset(), placement.byteSize()));
    }
    Kept kept = new Kept(sent, List.copyOf(views), open.endUnit(List.of()));
    kept.verify();
    return kept;
  }

  Kept pass(ViewScope scope, int... sizes) {
    return open(admit(write(sizes)), scope);
  }

  /** Looks at a unit without keeping anything. */
  void peek(Sent sent) {
    OpenUnit open = reader.beginUnit(sent.receipt, ViewScope.CONFINED);
    for (int i = 0; i < sent.placements.size(); i++) {
      Placement placement = sent.placements.get(i);
      MemorySegment bytes = open.peekBinary(placement.offset(), placement.byteSize());
      Assertions.assertEquals(placement.byteSize(), bytes.byteSize());
      Stamps.verify(bytes, sent.unit(), i);
    }
    open.endUnit(List.of()).close();
  }

  @Override
  public void close() {
    writer.close();
    reader.close();
    ring.close();
    ring.unlink();
  }
}
