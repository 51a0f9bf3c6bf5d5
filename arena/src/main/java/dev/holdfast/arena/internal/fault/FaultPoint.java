package dev.holdfast.arena.internal.fault;

import dev.holdfast.arena.internal.os.ProcessIdentity;
import dev.holdfast.arena.internal.os.Processes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Places in the code where a test can pause, delay, fail or kill the process.
 *
 * <p>Driven by the system property {@code holdfast.faults}, read once at class initialization: a
 * list, separated by commas, of {@code POINT=ACTION[@N]}. The action happens at the N-th time the
 * point is reached (1 when left out, {@code N/M} for several times, {@code *} for each time).
 * Actions: {@code pause(FOLDER)} writes {@code FOLDER/POINT.reached} with the pid and waits for
 * {@code FOLDER/POINT.go}; {@code delay(MILLIS)}; {@code throw}; {@code exhaust} and {@code
 * overflow} throw what a JVM throws that has no heap or no stack left; {@code kill} sends SIGKILL
 * to the own process; {@code kill(FOLDER)} does so when it is the one that removes {@code
 * FOLDER/POINT.kill}, of which there is one process at most; {@code halt(STATUS)}; {@code fire}
 * makes {@link #fires} true, for points that do something of their own. Callers test {@link
 * #ENABLED} first, which is constant, so that points cost nothing when off.
 */
public enum FaultPoint {
  /** Between making a file and giving it its size. */
  FILE_CREATED,
  /** A named file exists, is locked and whole, and has no name yet. */
  FILE_READY,
  /** Fires where a folder's file system is to be taken for one without O_TMPFILE. */
  NO_TMPFILE,
  /** Fires where the name that was drawn for a file is to be somebody else's already. */
  NAME_TAKEN,
  /** A step of construction is about to run. */
  CONSTRUCTION_STEP,
  /** A unit was begun and nothing is written. */
  UNIT_BEGUN,
  /** Half of a binary of at least 64 KiB is copied. */
  BINARY_HALF_COPIED,
  /** All binaries are copied, the unit is not committed. */
  UNIT_COPIED,
  /** Flips one byte of a unit before it is committed. */
  UNIT_FLIP_BYTE,
  /** The unit's bytes are stored ahead of its number. */
  BETWEEN_HEAD_AND_PUBLISHED,
  /** The unit is committed, its record is not published. */
  UNIT_COMMITTED,
  /** The record is published. */
  RECORD_SENT,
  /** A writer is about to wait for space. */
  WAITING_FOR_SPACE,
  /** A unit was admitted. */
  UNIT_ADMITTED,
  /** A unit is open and nothing is restored. */
  UNIT_OPENED,
  /** A unit was released. */
  UNIT_RELEASED,
  /** A step that must run before unmapping. */
  BEFORE_UNMAP,
  /** A step of closing an arena is about to run. */
  CLOSING_STEP,
  /** A function of the C library is about to be called, or room for what it says to be taken. */
  NATIVE_CALL,
  /** An endpoint is about to be given back. */
  GIVING_BACK,
  /** A reservation was filled and is not sealed. */
  RESERVATION_FILLED,
  /** A reservation is marked complete, its number is not published. */
  TICKET_SEALED,
  /** A ticket is marked taken, and nobody has its lease. */
  TICKET_TAKEN,
  /** The worker's main method has begun. */
  WORKER_STARTING,
  /** The worker is about to run an initializer. */
  WORKER_INITIALIZING,
  /** The worker waits for a command. */
  WORKER_STANDING_BY,
  /** The worker is between two items. */
  WORKER_BETWEEN_ITEMS,
  /** The worker has sent its last item and not the mark behind it. */
  WORKER_AFTER_LAST_ITEM,
  /** The worker is about to answer a stop. */
  WORKER_STOPPING,
  /** The parent has started the process and sent nothing. */
  PARENT_STARTED_WORKER,
  /** A worker has ended, and the parent has told nobody. */
  PARENT_REAPED_WORKER,
  /** The parent has received a record and not admitted its unit. */
  PARENT_RECEIVED,
  /** The parent is about to run a step of teardown. */
  PARENT_TEARDOWN_STEP,
  /** The parent is about to wait for a message. */
  PARENT_WAITING;

  /** Whether any point can act in this process. */
  public static final boolean ENABLED = System.getProperty("holdfast.faults") != null;

  private static final String EVERY_TIME = "*";
  private static final Map<FaultPoint, Planned> PLAN = plan(System.getProperty("holdfast.faults"));

  private record Planned(
      String action, String argument, String at, AtomicLong reached, @Nullable Thread by) {}

  /**
   * Plans an action for the calling thread alone, in the place of what was planned for the point.
   * Call only when {@link #ENABLED}.
   *
   * @param action one without an argument
   * @param turn the how manieth time from now
   */
  public void plan(String action, long turn) {
    PLAN.put(
        this,
        new Planned(action, "", String.valueOf(turn), new AtomicLong(), Thread.currentThread()));
  }

  /** Takes out what was planned and returns how often the point was reached since. */
  public long unplan() {
    Planned planned = PLAN.remove(this);
    return planned == null ? 0 : planned.reached.get();
  }

  /**
   * Acts when the plan says so. Call only when {@link #ENABLED}.
   *
   * @throws InjectedFault when the action is {@code throw}
   */
  public void reach() {
    fires();
  }

  /**
   * Acts when the plan says so.
   *
   * @return true when the action is {@code fire} and its time has come
   */
  public boolean fires() {
    Planned planned = PLAN.get(this);
    if (planned == null || (planned.by != null && planned.by != Thread.currentThread())) {
      return false;
    }
    long turn = planned.reached.incrementAndGet();
    if (!planned.at.equals(EVERY_TIME)
        && !List.of(planned.at.split("/", -1)).contains(String.valueOf(turn))) {
      return false;
    }
    switch (planned.action) {
      case "fire" -> {
        return true;
      }
      case "pause" -> pause(Path.of(planned.argument));
      case "delay" -> sleep(Long.parseLong(planned.argument));
      case "throw" -> throw new InjectedFault("injected fault: point=" + this);
      case "exhaust" -> throw new OutOfMemoryError("injected fault: point=" + this);
      case "overflow" -> throw new StackOverflowError("injected fault: point=" + this);
      case "kill" -> kill(planned.argument);
      case "halt" -> Runtime.getRuntime().halt(Integer.parseInt(planned.argument));
      default -> throw new IllegalArgumentException("unknown action: " + planned.action);
    }
    return false;
  }

  /** What {@code throw} throws. */
  public static final class InjectedFault extends RuntimeException {
    private static final long serialVersionUID = 1L;

    InjectedFault(String message) {
      super(message);
    }
  }

  private void kill(String folder) {
    try {
      if (folder.isEmpty() || Files.deleteIfExists(Path.of(folder, this + ".kill"))) {
        Processes.kill(ProcessIdentity.current().pid(), Processes.SIGKILL);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void pause(Path folder) {
    try {
      Path written =
          Files.writeString(
              folder.resolve(this + ".tmp"), String.valueOf(ProcessIdentity.current().pid()));
      Files.move(written, folder.resolve(this + ".reached"));
      while (!Files.exists(folder.resolve(this + ".go"))) {
        sleep(2);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void sleep(long millis) {
    boolean interrupted = false;
    long end = System.nanoTime() + millis * 1_000_000;
    for (long left = millis; left > 0; left = (end - System.nanoTime()) / 1_000_000) {
      try {
        Thread.sleep(left);
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static Map<FaultPoint, Planned> plan(@Nullable String text) {
    Map<FaultPoint, Planned> plan = new ConcurrentHashMap<>();
    if (text == null || text.isBlank()) {
      return plan;
    }
    for (String entry : text.split(",", -1)) {
      int equals = entry.indexOf('=');
      FaultPoint point = valueOf(entry.substring(0, equals).trim());
      String action = entry.substring(equals + 1).trim();
      String at = "1";
      int turn = action.lastIndexOf('@');
      if (turn >= 0) {
        at = action.substring(turn + 1);
        action = action.substring(0, turn);
      }
      String argument = "";
      int open = action.indexOf('(');
      if (open >= 0) {
        argument = action.substring(open + 1, action.lastIndexOf(')'));
        action = action.substring(0, open);
      }
      plan.put(point, new Planned(action, argument, at, new AtomicLong(), null));
    }
    return plan;
  }
}
