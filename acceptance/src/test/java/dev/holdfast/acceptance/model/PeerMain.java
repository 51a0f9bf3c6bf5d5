package dev.holdfast.acceptance.model;

import dev.holdfast.arena.ArenaReader;
import dev.holdfast.arena.ArenaWriter;
import dev.holdfast.arena.OpenUnit;
import dev.holdfast.arena.Placement;
import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.arena.UnitLease;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.testkit.Parent;
import dev.holdfast.testkit.SerialText;
import dev.holdfast.testkit.Stamps;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * One side of an arena in a process that is going to be killed: {@code write ARENA SEED BYTES}
 * writes without an end, {@code read ARENA SEED} admits what its parent sends, and opens, keeps,
 * closes and discards units. Takes its side when it is told to.
 */
final class PeerMain {
  /** From here on a copy has a middle in which the process can be killed. */
  static final int HAS_A_MIDDLE = 64 << 10;

  private static final int USUAL = 3000;
  private static final List<ViewScope> SCOPES = List.of(ViewScope.values());

  private PeerMain() {}

  public static void main(String[] arguments) {
    SharedMemoryArena arena = SerialText.parse(SharedMemoryArena.class, arguments[1]);
    Random random = new Random(Long.parseLong(arguments[2]));
    Parent.say("ATTACHED");
    var _ = Parent.read();
    if (arguments[0].equals("write")) {
      write(arena.openWriter(), random, Integer.parseInt(arguments[3]));
    } else {
      read(arena.openReader(), random);
    }
  }

  private static void write(ArenaWriter writer, Random random, int largest) {
    Parent.say("READY");
    while (true) {
      writer.beginUnit();
      boolean large = random.nextInt(4) == 0;
      int size =
          large ? HAS_A_MIDDLE + random.nextInt(largest - HAS_A_MIDDLE + 1) : random.nextInt(USUAL);
      Placement placement = writer.writeBinary(Stamps.payload(size, writer.published(), 0));
      if (random.nextInt(10) == 0) {
        writer.abortUnit();
      } else {
        Parent.say(Wire.ofUnit(writer.commitUnit(), placement));
      }
    }
  }

  private static void read(ArenaReader reader, Random random) {
    Parent.say("READY");
    List<UnitLease> leases = new ArrayList<>();
    while (true) {
      Wire.Received unit = Wire.unit(Parent.read());
      reader.admit(unit.receipt());
      switch (random.nextInt(8)) {
        case 0, 1 -> reader.discard(unit.receipt());
        case 2 -> Parent.say("kept unopened");
        default -> {
          OpenUnit open =
              reader.beginUnit(unit.receipt(), SCOPES.get(random.nextInt(SCOPES.size())));
          MemorySegment view =
              open.readBinary(unit.placement().offset(), unit.placement().byteSize());
          Stamps.verify(view, unit.receipt().unit(), 0);
          leases.add(open.endUnit(List.of()));
        }
      }
      if (leases.size() > 1 && random.nextBoolean()) {
        leases.remove(random.nextInt(leases.size())).close();
      }
      Parent.say("ADMITTED " + unit.receipt().unit());
    }
  }
}
