package dev.holdfast.acceptance.model;

import dev.holdfast.acceptance.arena.Sent;
import dev.holdfast.arena.ArenaReader;
import dev.holdfast.arena.Placement;
import dev.holdfast.arena.StorageHold;
import dev.holdfast.arena.UnitLease;
import dev.holdfast.arena.UnitReceipt;
import dev.holdfast.testkit.Stamps;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A committed unit, what it holds, and who uses it. */
final class Unit {
  final UnitReceipt receipt;
  final List<Placement> placements;
  final long epoch;
  final List<MemorySegment> views = new ArrayList<>();
  final List<StorageHold> holds = new ArrayList<>();
  @Nullable ArenaReader admittedBy;
  @Nullable UnitLease lease;
  boolean taken;
  boolean released;

  Unit(UnitReceipt receipt, List<Placement> placements, long epoch) {
    this.receipt = receipt;
    this.placements = List.copyOf(placements);
    this.epoch = epoch;
  }

  /** Returns it as another process takes it. */
  Sent sent() {
    return new Sent(receipt, placements, receipt.unit(), epoch);
  }

  /** Checks every stamp that can be read. */
  void verify() {
    for (int i = 0; i < views.size(); i++) {
      Stamps.verify(views.get(i), receipt.unit(), Sent.epochOf(epoch, i));
    }
  }
}
