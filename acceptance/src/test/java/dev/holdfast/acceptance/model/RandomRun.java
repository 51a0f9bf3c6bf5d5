package dev.holdfast.acceptance.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.holdfast.acceptance.arena.RemoteEndpoint;
import dev.holdfast.acceptance.arena.Sent;
import dev.holdfast.arena.ArenaClosedException;
import dev.holdfast.arena.ArenaCorruptedException;
import dev.holdfast.arena.ArenaReader;
import dev.holdfast.arena.ArenaStats;
import dev.holdfast.arena.ArenaWriter;
import dev.holdfast.arena.OpenUnit;
import dev.holdfast.arena.Placement;
import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.arena.Side;
import dev.holdfast.arena.StorageHold;
import dev.holdfast.arena.UnitLease;
import dev.holdfast.arena.UnitReceipt;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.GcPressure;
import dev.holdfast.testkit.Stamps;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.function.Executable;

/**
 * One arena and its model, driven by the same random calls. After each call both must say the same
 * numbers, and every byte that anybody holds must be right. Each call that the model refuses must
 * be refused with the model's error and change nothing.
 */
final class RandomRun {
  private static final List<ViewScope> SCOPES = List.of(ViewScope.values());
  private static final Duration LIMIT = Duration.ofSeconds(60);

  /** What is called; the weights say how often. */
  enum Call {
    BEGIN(14),
    WRITE(22),
    COMMIT(14),
    ABORT(2),
    ADMIT(16),
    ADMIT_WRONG(3),
    OPEN(16),
    OPEN_AGAIN(2),
    DISCARD(4),
    SLICE(8),
    CLOSE_LEASE(14),
    DROP(1),
    HOLD(5),
    RELEASE_HOLD(5),
    RESET(2),
    REOPEN_WRITER(2),
    REOPEN_READER(3),
    TAKE_OVER(1),
    KILL_WRITER(0),
    KILL_READER(0);

    private final int weight;

    Call(int weight) {
      this.weight = weight;
    }

    static Call random(Random random) {
      int left = random.nextInt(TOTAL);
      for (Call call : ALL) {
        left -= call.weight;
        if (left < 0) {
          return call;
        }
      }
      throw new AssertionError();
    }

    private static final Call[] ALL = values();
    private static final int TOTAL = Arrays.stream(ALL).mapToInt(c -> c.weight).sum();
  }

  private final SharedMemoryArena arena;
  private final Rules rules;
  private final Random random;
  private final long largestBinary;
  private final Map<Call, Integer> counts = new EnumMap<>(Call.class);
  private final List<Unit> admitted = new ArrayList<>();
  private final List<Unit> inUse = new ArrayList<>();
  private final List<Placement> written = new ArrayList<>();

  private ArenaWriter writer;
  private ArenaReader reader;
  private boolean readerOpen = true;
  private long epoch;

  RandomRun(SharedMemoryArena arena, Rules rules, Random random, long largestBinary) {
    this.arena = arena;
    this.rules = rules;
    this.random = random;
    this.largestBinary = largestBinary;
    this.writer = arena.openWriter();
    this.reader = arena.openReader();
  }

  /**
   * Makes calls, ends the arena with whatever is in use, and then gives all back. It is shut down
   * at any time, or behind the last call but some.
   *
   * @param calls how many
   * @param withKills whether one process more takes each side once, and is killed
   */
  Map<Call, Integer> run(int calls, boolean withKills) {
    int shutdownAt = Math.min(calls, random.nextInt(2 * calls));
    int killsWriterAt = random.nextInt(calls / 2);
    int killsReaderAt = killsWriterAt + 1 + random.nextInt(calls / 2);
    try {
      for (int i = 0; i < calls + calls / 10; i++) {
        if (i == shutdownAt) {
          arena.shutdown();
          rules.shutdown = true;
        }
        Call call = Call.random(random);
        if (withKills && i == killsWriterAt) {
          call = Call.KILL_WRITER;
        } else if (withKills && i == killsReaderAt) {
          call = Call.KILL_READER;
        }
        counts.merge(call, 1, Integer::sum);
        step(call);
        check();
      }
      end();
      return counts;
    } finally {
      arena.close();
      arena.unlink();
    }
  }

  private void step(Call call) {
    switch (call) {
      case BEGIN -> begin();
      case WRITE -> write();
      case COMMIT -> commit();
      case ABORT -> {
        writer.abortUnit();
        rules.abort();
      }
      case ADMIT -> admit();
      case ADMIT_WRONG -> admitWrong();
      case OPEN -> open();
      case OPEN_AGAIN -> openAgain();
      case DISCARD -> discard();
      case SLICE -> slice();
      case CLOSE_LEASE -> closeLease();
      case DROP -> drop();
      case HOLD -> hold();
      case RELEASE_HOLD -> releaseHold();
      case RESET -> reset();
      case REOPEN_WRITER -> {
        writer.close();
        rules.abort();
        writer = arena.openWriter();
        assertEquals(rules.published, writer.published());
      }
      case REOPEN_READER -> reopenReader();
      case TAKE_OVER -> takeOver();
      case KILL_WRITER -> killWriter();
      case KILL_READER -> killReader();
    }
  }

  private void begin() {
    if (rules.unitOpen) {
      assertThrows(IllegalStateException.class, writer::beginUnit);
    } else if (!refused(rules.refusesToBegin(), writer::beginUnit)) {
      writer.beginUnit();
      rules.begin();
      written.clear();
    }
  }

  private void write() {
    long byteSize = byteSize();
    long stamp = Sent.epochOf(epoch, written.size());
    MemorySegment source = Stamps.payload((int) byteSize, rules.published, stamp);
    if (!rules.unitOpen) {
      assertThrows(IllegalStateException.class, () -> writer.writeBinary(source));
    } else if (!refused(rules.refuses(byteSize), () -> writer.writeBinary(source))) {
      Placement placement = writer.writeBinary(source);
      assertEquals(rules.place(byteSize), placement);
      written.add(placement);
    }
  }

  private long byteSize() {
    return switch (random.nextInt(10)) {
      case 0 -> 0;
      case 1 -> largestBinary + random.nextInt(3) - 1;
      default -> random.nextLong(largestBinary / 2 + 1);
    };
  }

  private void commit() {
    if (!rules.unitOpen) {
      assertThrows(IllegalStateException.class, writer::commitUnit);
      return;
    }
    UnitReceipt receipt = writer.commitUnit();
    assertEquals(
        new UnitReceipt(arena.arenaId(), rules.generation, rules.published, rules.span), receipt);
    rules.commit(new Unit(receipt, written, epoch));
    epoch = (epoch + 1) % 512;
  }

  private void admit() {
    Unit next = rules.firstNotAdmitted();
    if (next == null) {
      return;
    }
    if (!readerOpen) {
      assertThrows(ArenaClosedException.class, () -> reader.admit(next.receipt));
      return;
    }
    reader.admit(next.receipt);
    rules.nextToAdmit++;
    next.admittedBy = reader;
    admitted.add(next);
  }

  private void admitWrong() {
    UnitReceipt right =
        new UnitReceipt(arena.arenaId(), rules.generation, rules.nextToAdmit, random.nextInt(100));
    UnitReceipt wrong =
        switch (random.nextInt(4)) {
          case 0 -> with(right, 1, 0, 0);
          case 1 -> with(right, -1, 0, 0);
          case 2 -> with(right, 0, rules.generation > 0 ? -1 : 1, 0);
          default ->
              new UnitReceipt(
                  new UUID(random.nextLong(), 1), right.generation(), right.unit(), right.span());
        };
    if (readerOpen) {
      assertThrows(ArenaCorruptedException.class, () -> reader.admit(wrong));
    }
  }

  private static UnitReceipt with(UnitReceipt receipt, long unit, long generation, long span) {
    return new UnitReceipt(
        receipt.arenaId(),
        receipt.generation() + generation,
        receipt.unit() + unit,
        receipt.span() + span);
  }

  private void open() {
    Unit unit = remove(admitted);
    if (unit == null) {
      return;
    }
    ViewScope scope = SCOPES.get(random.nextInt(SCOPES.size()));
    OpenUnit open = unit.admittedBy.beginUnit(unit.receipt, scope);
    unit.taken = true;
    boolean complete = random.nextInt(8) != 0; // else the restore fails after its first view
    for (Placement placement : unit.placements) {
      if (complete || unit.views.isEmpty()) {
        unit.views.add(open.readBinary(placement.offset(), placement.byteSize()));
      }
    }
    assertThrows(
        ArenaCorruptedException.class, () -> open.readBinary(unit.receipt.span() + (1L << 40), 1));
    UnitLease lease = open.endUnit(List.of());
    assertThrows(IllegalStateException.class, () -> open.endUnit(List.of()));
    unit.lease = lease;
    unit.verify();
    boolean viewed = unit.views.stream().anyMatch(view -> view.byteSize() > 0);
    if (viewed) {
      inUse.add(unit);
    }
    if (!viewed || rules.copiesOut()) {
      rules.release(unit);
    }
  }

  private void openAgain() {
    Unit unit = pick(inUse);
    if (unit != null) {
      assertThrows(
          IllegalStateException.class,
          () -> unit.admittedBy.beginUnit(unit.receipt, ViewScope.CONFINED));
      assertThrows(IllegalStateException.class, () -> unit.admittedBy.discard(unit.receipt));
    }
  }

  private void discard() {
    Unit unit = remove(admitted);
    if (unit != null) {
      unit.admittedBy.discard(unit.receipt);
      unit.taken = true;
      rules.release(unit);
    }
  }

  /** Another alias keeps its unit as well as the first one, and shows the same bytes. */
  private void slice() {
    Unit unit = pick(inUse);
    if (unit != null && unit.lease != null) {
      int index = random.nextInt(unit.views.size());
      MemorySegment view = unit.views.get(index);
      MemorySegment same =
          random.nextBoolean()
              ? view.asSlice(0, view.byteSize())
              : MemorySegment.ofBuffer(view.asByteBuffer());
      unit.views.set(index, same);
      unit.verify();
    }
  }

  private void closeLease() {
    Unit unit = pick(inUse);
    if (unit == null || unit.lease == null) {
      return;
    }
    UnitLease lease = unit.lease;
    if (lease.scope() == ViewScope.COLLECTED) {
      lease.close();
      assertEquals(UnitLease.State.CLOSED, lease.state());
      unit.verify(); // only the collector ends these
      forget(unit);
      return;
    }
    List<MemorySegment> views = List.copyOf(unit.views);
    lease.close();
    assertEquals(true, lease.close(LIMIT), "the views have ended");
    for (MemorySegment view : views) {
      if (view.byteSize() > 0) {
        assertThrows(IllegalStateException.class, () -> view.get(ValueLayout.JAVA_BYTE, 0));
      }
    }
    unit.views.clear();
    unit.lease = null;
    assertThrows(IllegalStateException.class, lease::hold);
    ended(unit);
  }

  /** Forgets every alias, of a lease that nobody closed too. */
  private void drop() {
    Unit unit = pick(inUse);
    if (unit != null && unit.lease != null) {
      forget(unit);
    }
  }

  private void forget(Unit unit) {
    unit.views.clear();
    unit.lease = null;
    ended(unit);
    GcPressure.collect();
  }

  private void hold() {
    Unit unit = pick(inUse);
    if (unit == null || unit.lease == null) {
      return;
    }
    MemorySegment view = unit.views.get(random.nextInt(unit.views.size()));
    StorageHold hold =
        random.nextBoolean() || view.byteSize() == 0
            ? unit.lease.hold()
            : StorageHold.of(view.asSlice(view.byteSize() - 1));
    if (random.nextInt(3) == 0) {
      assertEquals(true, hold.segment().byteSize() > 0, "a hold shows its unit's bytes");
    }
    unit.holds.add(hold);
  }

  private void releaseHold() {
    Unit unit = pick(inUse);
    if (unit != null && !unit.holds.isEmpty()) {
      StorageHold hold = unit.holds.removeLast();
      hold.close();
      hold.close();
      ended(unit);
    }
  }

  private void ended(Unit unit) {
    if (unit.lease == null && unit.holds.isEmpty()) {
      inUse.remove(unit);
      if (!unit.released) {
        rules.release(unit);
      }
    }
  }

  private void reset() {
    writer.reset();
    rules.abort();
    if (readerOpen) {
      reader.reset();
    } else {
      assertThrows(ArenaClosedException.class, reader::reset);
    }
  }

  /** A side goes back when its last unit does. */
  private void reopenReader() {
    if (readerOpen && random.nextBoolean()) {
      reader.close();
      readerOpen = false;
    }
    if (readerOpen || rules.nextToAdmit > rules.reclaimed) {
      assertThrows(IllegalStateException.class, arena::openReader);
    } else {
      reader = arena.openReader();
      readerOpen = true;
    }
  }

  /** Nobody is dead: a side is free, or its holder lives. */
  private void takeOver() {
    assertThrows(IllegalStateException.class, () -> arena.takeOver(Side.WRITER));
    if (readerOpen || rules.nextToAdmit > rules.reclaimed) {
      assertThrows(IllegalStateException.class, () -> arena.takeOver(Side.READER));
    } else {
      arena.takeOver(Side.READER);
    }
  }

  /** Another process writes some units, perhaps begins one more, and is killed. */
  private void killWriter() {
    if (!readerOpen) { // else nobody takes note of it before the next one opens
      giveAllBack();
      reader = arena.openReader();
      readerOpen = true;
    }
    writer.close();
    rules.abort();
    try (RemoteEndpoint other = RemoteEndpoint.attach(arena)) {
      other.call("writer");
      for (int i = random.nextInt(4); i > 0 && writeIn(other); i--) {
        if (random.nextBoolean()) {
          admit();
        }
        check();
      }
      if (random.nextBoolean() && rules.refusesToBegin() == null) {
        other.call("half 0");
      }
      assertThrows(IllegalStateException.class, () -> arena.takeOver(Side.WRITER));
      assertThrows(IllegalStateException.class, arena::openWriter);
      other.child().killAndAwait();
    }
    check();
    arena.takeOver(Side.WRITER);
    rules.writerReplaced();
    writer = arena.openWriter();
  }

  /** Returns false when there is no space. */
  private boolean writeIn(RemoteEndpoint other) {
    long byteSize = 1 + random.nextLong(largestBinary);
    if (rules.refusesToBegin() != null) {
      return false;
    }
    rules.begin();
    if (rules.refuses(byteSize) != null) {
      rules.abort();
      return false;
    }
    Placement placement = rules.place(byteSize);
    Sent sent = other.write(1, byteSize).getFirst();
    assertEquals(List.of(placement), sent.placements());
    assertEquals(
        new UnitReceipt(arena.arenaId(), rules.generation, rules.published, rules.span),
        sent.receipt());
    rules.commit(new Unit(sent.receipt(), sent.placements(), sent.epoch()));
    return true;
  }

  private void giveAllBack() {
    while (!admitted.isEmpty()) {
      discard();
    }
    while (!inUse.isEmpty()) {
      closeLease();
      releaseHold();
    }
    check();
  }

  /** Another process takes some units and is killed with them. */
  private void killReader() {
    giveAllBack();
    reader.close();
    try (RemoteEndpoint other = RemoteEndpoint.attach(arena)) {
      other.call("reader");
      for (int i = random.nextInt(4); i > 0 && rules.firstNotAdmitted() != null; i--) {
        String unit = rules.firstNotAdmitted().sent().text();
        rules.nextToAdmit++;
        other.call("admit " + unit);
        if (random.nextBoolean()) {
          other.call("open " + unit + " CONFINED");
        }
      }
      assertThrows(IllegalStateException.class, () -> arena.takeOver(Side.READER));
      assertThrows(IllegalStateException.class, arena::openReader);
      other.child().killAndAwait();
    }
    arena.takeOver(Side.READER);
    rules.readerReplaced();
    reader = arena.openReader();
    readerOpen = true;
  }

  private static boolean refused(
      @Nullable Class<? extends RuntimeException> refusal, Executable call) {
    if (refusal != null) {
      assertThrows(refusal, call);
    }
    return refusal != null;
  }

  private @Nullable Unit pick(List<Unit> units) {
    return units.isEmpty() ? null : units.get(random.nextInt(units.size()));
  }

  private @Nullable Unit remove(List<Unit> units) {
    return units.isEmpty() ? null : units.remove(random.nextInt(units.size()));
  }

  /** What a closer thread or the collector ends comes a little later. */
  private void check() {
    ArenaStats stats = arena.stats();
    assertEquals(rules.published, stats.published());
    if (stats.reclaimed() != rules.reclaimed) {
      Deadlines.assertEventually(
          "reclaimed is " + rules.reclaimed,
          LIMIT,
          () -> {
            GcPressure.collect();
            return arena.stats().reclaimed() == rules.reclaimed;
          });
      stats = arena.stats();
    }
    assertEquals(rules.nextToAdmit - rules.reclaimed, stats.held());
    inUse.forEach(Unit::verify);
  }

  /** Closing ends no view, and nothing can be begun any more. */
  private void end() {
    arena.close();
    arena.close();
    writer.abortUnit();
    assertThrows(ArenaClosedException.class, writer::beginUnit);
    for (Unit unit : admitted) {
      assertThrows(
          ArenaClosedException.class,
          () -> unit.admittedBy.beginUnit(unit.receipt, ViewScope.CONFINED));
      unit.admittedBy.discard(unit.receipt);
    }
    arena.unlink();
    arena.unlink();
    while (!inUse.isEmpty()) {
      inUse.forEach(Unit::verify);
      Unit unit = inUse.removeLast();
      if (unit.lease != null) {
        unit.lease.close();
      }
      unit.views.clear();
      unit.holds.forEach(StorageHold::close);
    }
    writer.close();
    reader.close();
  }
}
