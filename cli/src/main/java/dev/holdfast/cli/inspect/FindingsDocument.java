package dev.holdfast.cli.inspect;

import dev.holdfast.arena.internal.inspect.ArenaView;
import dev.holdfast.arena.internal.inspect.ArenaView.HolderGroup;
import dev.holdfast.arena.internal.inspect.ArenaView.OldestUnit;
import dev.holdfast.arena.internal.inspect.FoundArena;
import dev.holdfast.arena.internal.memory.Claim;
import dev.holdfast.arena.internal.os.ProcessIdentity;
import dev.holdfast.cli.inspect.Findings.LeftFile;
import dev.holdfast.cli.text.Words;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Findings as programs read them. */
public final class FindingsDocument {
  private FindingsDocument() {}

  /**
   * Makes the JSON document.
   *
   * @param findings what was found
   * @return its fields
   */
  public static Map<String, Object> of(Findings findings) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("arenas", findings.arenas().stream().map(FindingsDocument::arena).toList());
    document.put("leftovers", findings.leftovers().stream().map(FindingsDocument::file).toList());
    document.put("unreadable", findings.unreadable());
    return document;
  }

  private static Map<String, @Nullable Object> arena(FoundArena found) {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    fields.put("place", found.place());
    fields.put("bytes", found.byteSize());
    fields.put("mappedBy", found.pids().stream().map(FindingsDocument::mapper).toList());
    fields.put("words", words(found.arena()));
    fields.put("failure", found.failure());
    return fields;
  }

  private static Map<String, @Nullable Object> file(LeftFile file) {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    fields.put("file", file.leftover().file().toString());
    fields.put("bytes", file.arena().byteSize());
    fields.put("state", Words.lower(file.leftover().outcome()));
    fields.put("reason", file.leftover().reason());
    fields.put("words", words(file.arena().arena()));
    fields.put("failure", file.arena().failure());
    return fields;
  }

  private static @Nullable Map<String, @Nullable Object> words(@Nullable ArenaView arena) {
    if (arena == null) {
      return null;
    }
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    fields.put("arenaId", arena.geometry().arenaId().toString());
    fields.put("kind", arena.isRing() ? "ring" : "pool");
    fields.put("unitBytes", arena.geometry().unitBytes());
    fields.put("segments", arena.geometry().segments());
    fields.put("owner", process(arena.geometry().owner()));
    fields.put("writer", claim(arena.writer()));
    fields.put("reader", claim(arena.reader()));
    fields.put("published", arena.published());
    fields.put("reclaimed", arena.reclaimed());
    fields.put("head", arena.head());
    fields.put("tail", arena.tail());
    fields.put("generation", arena.generation());
    fields.put("writerWaiting", arena.writerWaiting());
    fields.put("ownerShutdown", arena.ownerShutdown());
    fields.put("peerShutdown", arena.peerShutdown());
    fields.put("holders", arena.holders().stream().map(FindingsDocument::group).toList());
    fields.put("oldest", oldest(arena.oldest()));
    fields.put("doubt", arena.doubt());
    return fields;
  }

  private static Map<String, Object> group(HolderGroup group) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("kind", group.kind());
    fields.put("count", group.count());
    fields.put("oldestMillis", group.oldestMillis());
    return fields;
  }

  private static @Nullable Map<String, Object> oldest(@Nullable OldestUnit oldest) {
    if (oldest == null) {
      return null;
    }
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("unit", oldest.unit());
    fields.put("holder", oldest.holder());
    fields.put("ageMillis", oldest.ageMillis());
    return fields;
  }

  private static @Nullable Map<String, Object> claim(@Nullable Claim claim) {
    if (claim == null) {
      return null;
    }
    Map<String, Object> fields = process(claim.holder());
    fields.put("use", Words.lower(claim.use()));
    return fields;
  }

  private static Map<String, Object> process(ProcessIdentity process) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("pid", process.pid());
    fields.put("alive", process.isAlive());
    return fields;
  }

  private static Map<String, Object> mapper(Long pid) {
    ProcessIdentity process = ProcessIdentity.of(pid);
    return process == null ? Map.of("pid", pid, "alive", false) : process(process);
  }
}
