package dev.holdfast.acceptance.worker;

import dev.holdfast.arena.Backing;
import dev.holdfast.loader.SubprocessOptions;
import dev.holdfast.loader.WorkerSource;
import dev.holdfast.testkit.PausePoints;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** The states of a worker in which its death, or that of its parent, can meet it. */
enum WorkerState {
  STARTING("WORKER_STARTING", 1, 0, false),
  INITIALIZING("WORKER_INITIALIZING", 1, 0, false),
  STANDING_BY("WORKER_STANDING_BY", 1, 0, false),
  BETWEEN_ITEMS("WORKER_BETWEEN_ITEMS", 3, 2, false),
  IN_USER_CODE(Busy.POINT, 1, 2, false),
  UNIT_BEGUN("UNIT_BEGUN", 3, 2, true),
  COPYING("BINARY_HALF_COPIED", 3, 2, true),
  COPIED("UNIT_COPIED", 3, 2, true),
  PUBLISHING("BETWEEN_HEAD_AND_PUBLISHED", 3, 2, true),
  COMMITTED("UNIT_COMMITTED", 3, 2, true),
  SENT("RECORD_SENT", 3, 3, false),
  WAITING_FOR_SPACE("WAITING_FOR_SPACE", 1, 2, true),
  WAITING_FOR_A_COMMAND("WORKER_STANDING_BY", 2, WorkerState.FEW, false),
  AFTER_THE_LAST_ITEM("WORKER_AFTER_LAST_ITEM", 1, WorkerState.FEW, false),
  STOPPING("WORKER_STOPPING", 1, 1, false);

  private static final int FEW = 3;
  private static final int MANY = 1000;

  private final String point;
  private final int turn;
  private final int delivered;
  private final boolean needsArena;

  WorkerState(String point, int turn, int delivered, boolean needsArena) {
    this.point = point;
    this.turn = turn;
    this.delivered = delivered;
    this.needsArena = needsArena;
  }

  /** Returns the name of the point where the worker stops. */
  String point() {
    return point;
  }

  /** Returns how many items are complete when the worker has stopped there. */
  int delivered() {
    return delivered;
  }

  /** The states that a worker comes into whose items go this way. */
  static List<WorkerState> with(Transport transport) {
    return Stream.of(values()).filter(state -> state.existsWith(transport)).toList();
  }

  private boolean existsWith(Transport transport) {
    return switch (this) {
      case PUBLISHING -> transport == Transport.RING;
      case WAITING_FOR_SPACE -> transport == Transport.POOL; // a ring gives back what is held
      default -> transport != Transport.CHANNEL || !needsArena;
    };
  }

  /** Returns whether the call that starts the worker waits for it in this state. */
  boolean beforeReady() {
    return this == STARTING || this == INITIALIZING;
  }

  WorkerSource<Map<String, Object>> source(Path folder) {
    return switch (this) {
      case IN_USER_CODE -> Busy.SLEEPS.at(delivered, MANY, folder.toString());
      case WAITING_FOR_A_COMMAND, AFTER_THE_LAST_ITEM -> Workers.stamped(FEW);
      default -> Workers.stamped(MANY);
    };
  }

  /**
   * Returns options of a worker that stops in this state.
   *
   * @param folder for the signs
   * @param transport what its items go through
   * @param backing of the arena
   */
  SubprocessOptions options(Path folder, Transport transport, Backing backing) {
    SubprocessOptions.Builder options = Workers.options().initializer(_ -> {});
    if (!point.equals(Busy.POINT)) {
      options.jvmArgs(PausePoints.in(folder).pause(point, turn).jvmArgument());
    }
    return transport
        .addTo(options, this == WAITING_FOR_SPACE ? delivered : 2 * FEW, backing)
        .build();
  }

  /**
   * Takes items in the way that leads to this state, until an error comes.
   *
   * @param items gives passes
   * @param sink takes what they have, and keeps it
   */
  <T> void consume(Iterable<T> items, Consumer<T> sink) {
    Iterator<T> pass = items.iterator();
    switch (this) {
      case STOPPING -> {
        sink.accept(pass.next());
        pass = items.iterator();
      }
      case WAITING_FOR_A_COMMAND -> {
        pass.forEachRemaining(sink);
        pass = items.iterator();
      }
      default -> {
        // one pass comes to it
      }
    }
    pass.forEachRemaining(sink);
  }
}
