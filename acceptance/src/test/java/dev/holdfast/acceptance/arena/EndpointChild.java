package dev.holdfast.acceptance.arena;

import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.arena.Side;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.testkit.GcPressure;
import dev.holdfast.testkit.Maps;
import dev.holdfast.testkit.Parent;
import dev.holdfast.testkit.SerialText;
import java.util.ArrayList;
import java.util.List;

/**
 * A process that drives endpoints of an arena as its parent tells it, one command a line. Each is
 * answered by a line that begins with {@code =}: {@code OK} and a result, or {@code FAILED}, the
 * exception's simple name and its message.
 */
final class EndpointChild {
  private final List<Opened> opened = new ArrayList<>();
  private Rig rig;

  private EndpointChild() {}

  public static void main(String[] arguments) {
    Parent.serve(new EndpointChild()::run);
  }

  private String run(String[] words) {
    switch (words[0]) {
      case "attach" -> {
        SharedMemoryArena arena = SerialText.parse(SharedMemoryArena.class, words[1]);
        rig = new Rig(arena);
      }
      case "writer" -> rig.writer();
      case "reader" -> rig.reader();
      case "write" -> {
        return write(Integer.parseInt(words[1]), Long.parseLong(words[2]));
      }
      case "half" -> {
        rig.writer().beginUnit();
        rig.writeBinaries(Long.parseLong(words[1]));
      }
      case "published" -> {
        return String.valueOf(rig.writer().published());
      }
      case "reset" -> rig.writer().reset();
      case "reset-reader" -> rig.reader().reset();
      case "admit" -> rig.admit(Sent.parse(words[1]));
      case "open" -> opened.add(rig.open(Sent.parse(words[1]), ViewScope.valueOf(words[2])));
      case "discard" -> rig.reader().discard(Sent.parse(words[1]).receipt());
      case "verify" -> opened.forEach(Opened::verify);
      case "release" -> opened.remove(Integer.parseInt(words[1])).close();
      case "forget" -> {
        opened.clear();
        GcPressure.collect(2);
      }
      case "shutdown" -> rig.arena.shutdown();
      case "takeover" -> rig.arena.takeOver(Side.valueOf(words[1]));
      case "unlink" -> rig.arena.unlink();
      case "close-writer" -> rig.writer().close();
      case "close-reader" -> rig.reader().close();
      case "close" -> rig.arena.close();
      case "mappings" -> {
        return String.valueOf(Maps.ofArenas().size());
      }
      default -> throw new IllegalArgumentException(words[0]);
    }
    return "";
  }

  private String write(int count, long size) {
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Sent sent = rig.write(size);
      texts.add(sent.text());
      Parent.say("SENT " + sent.text());
    }
    return String.join(" ", texts);
  }
}
