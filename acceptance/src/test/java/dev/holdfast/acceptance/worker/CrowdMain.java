package dev.holdfast.acceptance.worker;

import dev.holdfast.arena.Backing;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.loader.Lease;
import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.SubprocessOptions;
import dev.holdfast.loader.WorkerSource;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.FullHeap;
import dev.holdfast.testkit.Parent;
import dev.holdfast.testkit.PausePoints;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A parent of many workers, each in a state of its own when the parent is killed. */
final class CrowdMain {
  /** In the name of a folder: user code has undone the signal it had asked the kernel for. */
  private static final String DEAF = "DEAF_";

  /** In the name of a folder: the worker really waits for space. */
  static final String FULL = "FULL";

  private static final int SEGMENTS = 2;

  private CrowdMain() {}

  /**
   * Starts the parent.
   *
   * @param transport what the items of its workers go through
   * @param backing a folder for the arenas
   * @param folder an empty folder for the signs
   * @param members names of {@link WorkerState}, of {@link Busy}, {@link #deaf} or {@link #FULL}
   * @param prefix a command in front of it, which replaces itself by the parent
   * @return the parent
   */
  static ChildJvm start(
      Transport transport, String backing, Path folder, List<String> members, String... prefix) {
    List<String> args = new ArrayList<>(List.of(transport.name(), backing));
    for (String member : members) {
      try {
        args.add(Files.createDirectory(folder.resolve(member)).toString());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return ChildJvm.of(CrowdMain.class).prefix(prefix).args(args.toArray(String[]::new)).start();
  }

  /** Waits until each worker is where it should be; returns their pids by the members' names. */
  static Map<String, Long> await(Path folder, List<String> members) {
    Map<String, Long> pids = new LinkedHashMap<>();
    for (String member : members) {
      pids.put(member, PausePoints.in(folder.resolve(member)).awaitReached(point(member)));
    }
    return pids;
  }

  /** Returns the name of a worker in whose state no signal from the kernel helps. */
  static String deaf(Busy busy) {
    return DEAF + busy;
  }

  /**
   * Starts workers until it is killed.
   *
   * @param args the transport, the backing, then a folder for each worker
   */
  public static void main(String[] args) {
    Transport transport = Transport.valueOf(args[0]);
    Backing backing = Backing.directory(Path.of(args[1]));
    for (String folder : List.of(args).subList(2, args.length)) {
      Thread.ofPlatform().name(folder).start(() -> live(Path.of(folder), transport, backing));
    }
    throw new IllegalStateException(Parent.read());
  }

  private static void live(Path folder, Transport transport, Backing backing) {
    String name = folder.getFileName().toString();
    List<Lease<Map<String, Object>>> held = new ArrayList<>();
    if (isState(name)) {
      WorkerState state = WorkerState.valueOf(name);
      SubprocessIterable<Map<String, Object>> items =
          Subprocess.iterate(state.source(folder), state.options(folder, transport, backing));
      state.consume(items.leases(ViewScope.SHARED), held::add);
      return;
    }
    SubprocessIterable<Map<String, Object>> items =
        Subprocess.iterate(source(name, folder.toString()), options(name, transport, backing));
    Iterator<Lease<Map<String, Object>>> leases = items.leases(ViewScope.SHARED).iterator();
    while (held.size() < SEGMENTS) {
      held.add(leases.next());
    }
    if (name.equals(FULL)) {
      write(folder, items.pid());
    }
    held.add(leases.next());
  }

  private static WorkerSource<Map<String, Object>> source(String name, String folder) {
    if (name.equals(FULL)) {
      return Workers.stamped(1000);
    }
    if (name.startsWith(DEAF)) {
      return Busy.valueOf(name.substring(DEAF.length())).withoutDeathSignalAt(1, 1000, folder);
    }
    return Busy.valueOf(name).at(1, 1000, folder);
  }

  private static SubprocessOptions options(String name, Transport transport, Backing backing) {
    SubprocessOptions.Builder options = Workers.options();
    if (name.endsWith(Busy.FILLS_THE_HEAP.name())) {
      options.jvmArgs(FullHeap.jvmArguments());
    }
    return transport.addTo(options, SEGMENTS, backing).build();
  }

  private static void write(Path folder, long pid) {
    try {
      Path written = Files.writeString(folder.resolve(FULL + ".tmp"), String.valueOf(pid));
      Files.move(written, folder.resolve(FULL + ".reached"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String point(String member) {
    if (isState(member)) {
      return WorkerState.valueOf(member).point();
    }
    return member.equals(FULL) ? FULL : Busy.POINT;
  }

  private static boolean isState(String name) {
    return List.of(WorkerState.values()).stream().anyMatch(state -> state.name().equals(name));
  }
}
