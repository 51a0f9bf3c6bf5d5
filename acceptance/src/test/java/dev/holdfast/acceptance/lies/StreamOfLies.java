package dev.holdfast.acceptance.lies;

import dev.holdfast.arena.ArenaReader;
import dev.holdfast.arena.ArenaWriter;
import dev.holdfast.arena.OpenUnit;
import dev.holdfast.arena.Placement;
import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.arena.Side;
import dev.holdfast.arena.UnitLease;
import dev.holdfast.arena.UnitReceipt;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.testkit.Stamps;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Uses an arena for a stream while its words lie. */
final class StreamOfLies {
  private final SharedMemoryArena arena;
  private final Lies lies;
  private final Random random;
  private final long largest;
  private final List<UnitReceipt> receipts = new ArrayList<>();
  private final List<UnitLease> leases = new ArrayList<>();
  private final List<MemorySegment> views = new ArrayList<>();
  private @Nullable ArenaWriter writer;
  private @Nullable ArenaReader reader;

  StreamOfLies(SharedMemoryArena arena, Lies lies, Random random, long largest) {
    this.arena = arena;
    this.lies = lies;
    this.random = random;
    this.largest = largest;
  }

  void run(int calls) {
    for (int i = 0; i < calls; i++) {
      if (random.nextInt(4) == 0) {
        lies.tell();
      }
      if (writer == null) {
        lies.call("openWriter", () -> writer = arena.openWriter());
      }
      if (reader == null) {
        lies.call("openReader", () -> reader = arena.openReader());
      }
      one();
    }
    for (UnitLease lease : leases) {
      lies.call("close a lease", lease::close);
    }
    views.clear();
    lies.call("close", arena::close);
    lies.call("unlink", arena::unlink);
  }

  private void one() {
    switch (random.nextInt(10)) {
      case 0, 1, 2 -> send();
      case 3, 4 -> receive();
      case 5 -> lies.call("read the views", this::readViews);
      case 6 -> lies.call("stats", () -> arena.stats());
      case 7 ->
          lies.call(
              "takeOver", () -> arena.takeOver(random.nextBoolean() ? Side.READER : Side.WRITER));
      case 8 -> reopen();
      default -> reset();
    }
  }

  private void send() {
    ArenaWriter to = writer;
    if (to != null) {
      lies.call("beginUnit", to::beginUnit);
      lies.call(
          "writeBinary",
          () -> to.writeBinary(Stamps.payload(random.nextInt((int) largest + 1), 1, 1)));
      lies.call("commitUnit", () -> receipts.add(to.commitUnit()));
      lies.call("abortUnit", to::abortUnit);
    }
  }

  private void receive() {
    ArenaReader from = reader;
    if (from != null && !receipts.isEmpty()) {
      UnitReceipt receipt = receipt();
      lies.call("admit", () -> from.admit(receipt));
      if (random.nextInt(3) == 0) {
        lies.call("discard", () -> from.discard(receipt));
      } else {
        lies.call("beginUnit", () -> open(from, receipt));
      }
    }
  }

  private UnitReceipt receipt() {
    UnitReceipt right = receipts.removeFirst();
    if (random.nextInt(3) != 0) {
      return right;
    }
    long nonsense = random.nextBoolean() ? random.nextLong() : random.nextInt(9) - 4;
    return switch (random.nextInt(4)) {
      case 0 -> new UnitReceipt(new UUID(nonsense, 1), 0, right.unit(), right.span());
      case 1 -> new UnitReceipt(right.arenaId(), nonsense, right.unit(), right.span());
      case 2 -> new UnitReceipt(right.arenaId(), right.generation(), nonsense, right.span());
      default -> new UnitReceipt(right.arenaId(), right.generation(), right.unit(), nonsense);
    };
  }

  private void open(ArenaReader from, UnitReceipt receipt) {
    OpenUnit open = from.beginUnit(receipt, ViewScope.CONFINED);
    try {
      for (int i = 0; i < 3; i++) {
        Placement place = place(receipt);
        lies.call("readBinary", () -> views.add(open.readBinary(place.offset(), place.byteSize())));
      }
      readViews();
    } finally {
      lies.call("endUnit", () -> leases.add(open.endUnit(List.of())));
    }
  }

  private Placement place(UnitReceipt receipt) {
    return switch (random.nextInt(4)) {
      case 0 -> new Placement(random.nextLong(), random.nextLong());
      case 1 -> new Placement(random.nextInt(100), Long.MAX_VALUE - random.nextInt(100));
      case 2 -> new Placement(random.nextInt(200) - 100, random.nextInt(200) - 100);
      default -> new Placement(0, Math.clamp(receipt.span(), 0, largest));
    };
  }

  private void readViews() {
    for (MemorySegment view : views) {
      if (view.scope().isAlive() && view.byteSize() > 0) {
        var _ = view.get(ValueLayout.JAVA_BYTE, 0);
        var _ = view.get(ValueLayout.JAVA_BYTE, view.byteSize() - 1);
      }
    }
  }

  private void reset() {
    ArenaWriter to = writer;
    ArenaReader from = reader;
    if (to != null && from != null) {
      lies.call("reset", to::reset);
      lies.call("reset", from::reset);
    }
    if (!leases.isEmpty()) {
      lies.call("close a lease", leases.removeFirst()::close);
    }
  }

  private void reopen() {
    ArenaWriter to = writer;
    ArenaReader from = reader;
    if (random.nextBoolean() && to != null) {
      lies.call("close", to::close);
      writer = null;
    } else if (from != null) {
      lies.call("close", from::close);
      reader = null;
    }
  }
}
