package dev.holdfast.acceptance.worker;

import dev.holdfast.arena.Backing;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.loader.Lease;
import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.SubprocessOptions;
import dev.holdfast.loader.WorkerOutput;
import dev.holdfast.loader.WorkerSource;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Parent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A process that has a worker and ends in some way while the worker is busy. What it has is kept in
 * static fields and never closed, unless the way of ending says so.
 */
final class ParentMain {
  /** How it goes on when it has taken its items. */
  enum Ending {
    /** It waits for the next item. */
    WAITS,
    /** It returns from its main method. */
    RETURNS,
    /** It calls {@link System#exit}. */
    EXITS,
    /** It halts. */
    HALTS,
    /** It runs out of heap, and the JVM was told to exit then. */
    RUNS_OUT_OF_MEMORY,
    /** It throws out of its main method. */
    THROWS,
    /** It returns from its main method, and a shutdown hook closes the run. */
    CLOSES_IN_A_HOOK,
    /** It closes the run. */
    CLOSES
  }

  /** The status of a process that {@link Ending#EXITS} or {@link Ending#HALTS}. */
  static final int STATUS = 7;

  private static @Nullable SubprocessIterable<Map<String, Object>> run;
  private static final List<Lease<Map<String, Object>>> TAKEN = new ArrayList<>();

  private ParentMain() {}

  /**
   * Describes a parent whose worker is lost in user code behind its first items.
   *
   * @param busy what the worker does there
   * @param backing {@code memfd}, a folder, a file to be made, or {@code none} for no arena
   * @param items how many items come before
   * @param ending how the parent goes on when it has taken them
   */
  static ChildJvm.Builder lost(Busy busy, String backing, Path folder, int items, Ending ending) {
    return builder()
        .args(
            "lost", busy.name(), backing, folder.toString(), String.valueOf(items), ending.name());
  }

  /** Describes a parent whose worker has some items and nothing behind them. */
  static ChildJvm.Builder finite(int count, String backing, Path folder, int items, Ending ending) {
    return builder()
        .args(
            "finite",
            String.valueOf(count),
            backing,
            folder.toString(),
            String.valueOf(items),
            ending.name());
  }

  private static ChildJvm.Builder builder() {
    return ChildJvm.of(ParentMain.class).jvmArgs("-XX:+UseSerialGC");
  }

  /**
   * Runs.
   *
   * @param args as the methods above put them
   */
  public static void main(String[] args) {
    int items = Integer.parseInt(args[4]);
    Backing backing =
        switch (args[2]) {
          case "none" -> null;
          case "memfd" -> Backing.memfd();
          default -> backing(Path.of(args[2]));
        };
    run = Subprocess.iterate(source(args[0], args[1], items, args[3]), options(backing));
    Parent.say("WORKER " + run.pid());
    Iterator<Lease<Map<String, Object>>> leases = run.leases(ViewScope.SHARED).iterator();
    while (TAKEN.size() < items && leases.hasNext()) {
      TAKEN.add(leases.next());
    }
    end(Ending.valueOf(args[5]), leases);
  }

  private static Backing backing(Path path) {
    return Files.isDirectory(path) ? Backing.directory(path) : Backing.file(path);
  }

  private static WorkerSource<Map<String, Object>> source(
      String kind, String what, int items, String folder) {
    return switch (kind) {
      case "lost" -> Busy.valueOf(what).at(items, 1000, folder);
      case "finite" -> Workers.stamped(Integer.parseInt(what));
      default -> throw new IllegalArgumentException(kind);
    };
  }

  private static SubprocessOptions options(@Nullable Backing backing) {
    SubprocessOptions.Builder options =
        Workers.options()
            .standardOutput(WorkerOutput.inherit())
            .standardError(WorkerOutput.inherit());
    if (backing != null) {
      options.arena(
          SharedMemorySegmentPool.builder(Workers.PAYLOAD_BYTES, 4)
              .acquireTimeout(Workers.FOR_EVER)
              .backing(backing)
              .build());
    }
    return options.build();
  }

  private static void end(Ending ending, Iterator<?> leases) {
    if (ending == Ending.CLOSES_IN_A_HOOK) {
      Runtime.getRuntime().addShutdownHook(new Thread(run::close));
    }
    Parent.say("LEAVING");
    switch (ending) {
      case WAITS -> leases.next();
      case RETURNS, CLOSES_IN_A_HOOK -> {
        // the JVM ends when main does
      }
      case EXITS -> System.exit(STATUS);
      case HALTS -> Runtime.getRuntime().halt(STATUS);
      case RUNS_OUT_OF_MEMORY -> useUpTheHeap();
      case THROWS -> throw new IllegalStateException("nobody catches this");
      case CLOSES -> run.close();
    }
  }

  private static void useUpTheHeap() {
    List<byte[]> all = new ArrayList<>();
    while (all.size() < Integer.MAX_VALUE) {
      all.add(new byte[1 << 20]);
    }
  }
}
