package dev.holdfast.cli.inspect;

import dev.holdfast.arena.internal.inspect.ArenaFinder;
import dev.holdfast.arena.internal.inspect.FoundArena;
import dev.holdfast.arena.internal.memory.StaleFiles;
import java.util.ArrayList;
import java.util.List;

/**
 * What a look around has found.
 *
 * @param arenas that processes map
 * @param leftovers in a folder
 * @param unreadable processes whose mappings could not be listed
 */
public record Findings(List<FoundArena> arenas, List<LeftFile> leftovers, List<Long> unreadable) {

  /**
   * A file in a folder.
   *
   * @param leftover what is known of it
   * @param arena what its bytes say
   */
  public record LeftFile(StaleFiles.Leftover leftover, FoundArena arena) {}

  /** Copies the lists. */
  public Findings {
    arenas = List.copyOf(arenas);
    leftovers = List.copyOf(leftovers);
    unreadable = List.copyOf(unreadable);
  }

  /**
   * Looks around and changes nothing.
   *
   * @param target where
   * @return what was found
   */
  public static Findings of(Target target) {
    return switch (target) {
      case Target.Everything _ -> of(ArenaFinder.ofUser());
      case Target.OneProcess process -> of(ArenaFinder.ofProcess(process.pid()));
      case Target.Folder folder -> {
        List<LeftFile> files = new ArrayList<>();
        for (StaleFiles.Leftover one : StaleFiles.list(folder.path())) {
          files.add(new LeftFile(one, ArenaFinder.inFile(one.file())));
        }
        yield new Findings(List.of(), files, List.of());
      }
    };
  }

  private static Findings of(ArenaFinder.Result found) {
    return new Findings(found.arenas(), List.of(), found.unreadable());
  }

  /**
   * Returns whether there is nothing to show.
   *
   * @return true when there is neither an arena nor a leftover
   */
  public boolean isEmpty() {
    return arenas.isEmpty() && leftovers.isEmpty();
  }
}
