package dev.holdfast.cli.inspect;

import dev.holdfast.arena.internal.inspect.ArenaView;
import dev.holdfast.arena.internal.inspect.ArenaView.HolderGroup;
import dev.holdfast.arena.internal.inspect.ArenaView.OldestUnit;
import dev.holdfast.arena.internal.inspect.FoundArena;
import dev.holdfast.arena.internal.memory.ArenaGeometry;
import dev.holdfast.arena.internal.memory.Claim;
import dev.holdfast.arena.internal.os.ProcessIdentity;
import dev.holdfast.cli.inspect.Findings.LeftFile;
import dev.holdfast.cli.text.Sizes;
import dev.holdfast.cli.text.Words;
import java.io.PrintStream;
import java.util.List;
import java.util.stream.Collector;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Findings as people read them. */
public final class FindingsText {
  private final PrintStream out;

  private FindingsText(PrintStream out) {
    this.out = out;
  }

  /**
   * Prints findings.
   *
   * @param findings what was found
   * @param out where to
   */
  public static void print(Findings findings, PrintStream out) {
    FindingsText text = new FindingsText(out);
    if (findings.isEmpty()) {
      out.println("nothing found");
    }
    findings.arenas().forEach(text::arena);
    findings.leftovers().forEach(text::leftover);
    if (!findings.unreadable().isEmpty()) {
      out.println("not readable: processes " + numbers(findings.unreadable()));
    }
    out.flush();
  }

  private void arena(FoundArena found) {
    out.println(found.place());
    row("size", Sizes.format(found.byteSize()));
    row("mapped by", found.pids().stream().map(FindingsText::process).collect(joining()));
    words(found);
  }

  private void leftover(LeftFile file) {
    out.println(file.leftover().file());
    row("state", Words.lower(file.leftover().outcome()) + ": " + file.leftover().reason());
    row("size", Sizes.format(file.arena().byteSize()));
    words(file.arena());
  }

  private void words(FoundArena found) {
    ArenaView arena = found.arena();
    if (arena == null) {
      row("unreadable", Words.oneLine(String.valueOf(found.failure())));
      return;
    }
    ArenaGeometry geometry = arena.geometry();
    row("arena", geometry.arenaId() + ", " + shape(arena));
    row("owner", process(geometry.owner()));
    row("writer", holder(arena.writer()) + (arena.writerWaiting() ? ", waits for space" : ""));
    row("reader", holder(arena.reader()));
    row("units", units(arena));
    if (!arena.holders().isEmpty()) {
      row("held by", arena.holders().stream().map(FindingsText::group).collect(joining()));
    }
    OldestUnit oldest = arena.oldest();
    if (oldest != null) {
      row("oldest", "unit " + oldest.unit() + ": " + oldest.holder() + age(oldest.ageMillis()));
    }
    if (arena.ownerShutdown() || arena.peerShutdown()) {
      row("shut down", arena.ownerShutdown() ? "by its owner" : "by another process");
    }
    if (arena.doubt() != null) {
      row("doubt", arena.doubt());
    }
  }

  private static String shape(ArenaView arena) {
    ArenaGeometry geometry = arena.geometry();
    String size = Sizes.format(geometry.unitBytes());
    return arena.isRing()
        ? "ring of " + size
        : "pool of "
            + geometry.segments()
            + " x "
            + size
            + (arena.servesTickets() ? ", tickets" : "");
  }

  private static String units(ArenaView arena) {
    String text =
        "published %d, reclaimed %d, outstanding %d, generation %d"
            .formatted(
                arena.published(),
                arena.reclaimed(),
                arena.published() - arena.reclaimed(),
                arena.generation());
    return arena.isRing() ? text + ", bytes in use " + (arena.head() - arena.tail()) : text;
  }

  private static String group(HolderGroup group) {
    String age = group.oldestMillis() < 0 ? "" : " (oldest" + age(group.oldestMillis()) + ")";
    return group.count() + " " + group.kind() + age;
  }

  private static String age(long millis) {
    return millis < 0 ? "" : " for " + millis + " ms";
  }

  private static String holder(@Nullable Claim claim) {
    return claim == null ? "nobody" : process(claim.holder());
  }

  private static String process(ProcessIdentity process) {
    return process.pid() + (process.isAlive() ? " lives" : " is gone");
  }

  private static String process(long pid) {
    ProcessIdentity process = ProcessIdentity.of(pid);
    return process == null ? pid + " is gone" : process(process);
  }

  private static String numbers(List<Long> pids) {
    return pids.stream().map(String::valueOf).collect(joining());
  }

  private static Collector<CharSequence, ?, String> joining() {
    return Collectors.joining(", ");
  }

  private void row(String name, String value) {
    out.println(Words.format("  %-10s %s", name, value));
  }
}
