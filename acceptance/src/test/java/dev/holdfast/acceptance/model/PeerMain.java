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
 * closes and discards units.
 */
final class PeerMain {
  private static final List<ViewScope> SCOPES = List.of(ViewScope.values());

  private PeerMain() {}

  public static void main(String[] arguments) {
    SharedMemoryArena arena = SerialText.parse(SharedMemoryArena.class, arguments[1]);
    Random random = new Random(Long.parseLong(arguments[2]));
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
      MemorySegment bytes = Stamps.payload(random.nextInt(largest), writer.published(), 0);
      Placement placement = writer.writeBinary(bytes);
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
      switch (random.nextInt(4)) {
        case 0 -> reader.discard(unit.receipt());
        case 1 -> Parent.say("kept unopened");
        default -> {
          OpenUnit open =
              reader.beginUnit(unit.receipt(), SCOPES.get(random.nextInt(SCOPES.size())));
          Stamps.verify(
              open.readBinary(unit.placement().offset(), unit.placement().byteSize()),
              unit.receipt().unit(),
              0);
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
