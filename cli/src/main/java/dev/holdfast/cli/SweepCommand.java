package dev.holdfast.cli;

import dev.holdfast.arena.internal.memory.StaleFiles;
import dev.holdfast.arena.internal.memory.StaleFiles.Leftover;
import dev.holdfast.arena.internal.memory.StaleFiles.Outcome;
import dev.holdfast.cli.inspect.Target;
import java.io.PrintStream;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code holdfast sweep}. */
@Command(
    name = "sweep",
    description = {
      "Removes the files of arenas whose owners are dead, and says what it left and why.",
      "Only files of this user are removed.",
      "Exit codes: 0 done, also when there was nothing; 1 something could not be removed; 2 bad"
          + " usage."
    })
final class SweepCommand implements Callable<Integer> {
  private final PrintStream out;

  @Parameters(
      arity = "0..1",
      paramLabel = "FOLDER",
      defaultValue = "/dev/shm",
      description = "Where to look. Default: ${DEFAULT-VALUE}.")
  private String folder = "/dev/shm";

  SweepCommand(PrintStream out) {
    this.out = out;
  }

  @Override
  public Integer call() {
    List<Leftover> found = StaleFiles.removeStale(Target.folder(folder));
    for (Leftover one : found) {
      out.println(verb(one.outcome()) + one.file() + ": " + one.reason());
    }
    long removed = count(found, Outcome.REMOVED);
    long failed = count(found, Outcome.FAILED);
    out.println(
        "removed %d, left %d, failed %d"
            .formatted(removed, found.size() - removed - failed, failed));
    out.flush();
    return failed == 0 ? Main.DONE : Main.FAILED;
  }

  private static String verb(Outcome outcome) {
    return switch (outcome) {
      case REMOVED -> "removed ";
      case STALE, IN_USE, FOREIGN -> "left    ";
      case FAILED -> "failed  ";
    };
  }

  private static long count(List<Leftover> found, Outcome outcome) {
    return found.stream().filter(one -> one.outcome() == outcome).count();
  }
}
