package dev.holdfast.loader.internal.region;

import dev.holdfast.loader.internal.parent.PassState;
import dev.holdfast.loader.internal.pipeline.Epochs;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a lane knows: the inputs that it has taken and that are not answered yet, and the pass that
 * its worker is in. All threads of the lane use it. Its lock is held for no wait for the worker.
 *
 * <p>An input comes in when it is taken. It leaves when it is answered, when it failed outside of
 * the worker, or when nobody wants its pass any more; whoever takes it out speaks for it.
 */
final class LaneBook {
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final Epochs epochs;
  private final long inputsPerAnswer;
  private final Runnable requireGoing;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  // guarded by the lock
  private final Unanswered unanswered = new Unanswered();
  private final Answering answering;
  private final LanePass pass = new LanePass();
  private final Deaths deaths = new Deaths();

  /**
   * Makes an empty book.
   *
   * @param epochs which passes were left
   * @param wholeGroups whether inputs that share results are settled together
   * @param inputsPerAnswer how many inputs the worker may collect before it has to answer
   * @param requireGoing throws when the lane is to end; ends every wait
   */
  LaneBook(Epochs epochs, boolean wholeGroups, long inputsPerAnswer, Runnable requireGoing) {
    this.epochs = epochs;
    this.inputsPerAnswer = inputsPerAnswer;
    this.requireGoing = requireGoing;
    this.answering = new Answering(unanswered, wholeGroups);
  }

  /** Runs what changes nothing that somebody waits for. */
  private <T extends @Nullable Object> T look(Supplier<T> body) {
    lock.lock();
    try {
      return body.get();
    } finally {
      lock.unlock();
    }
  }

  /** Runs what others may be waiting for. */
  private <T extends @Nullable Object> T change(Supplier<T> body) {
    lock.lock();
    try {
      return body.get();
    } finally {
      changed.signalAll();
      lock.unlock();
    }
  }

  private void note(Runnable body) {
    var _ =
        change(
            () -> {
              body.run();
              return true;
            });
  }

  // waits

  private void awaitUntil(BooleanSupplier reached) {
    lock.lock();
    try {
      requireGoing.run();
      while (!reached.getAsBoolean()) {
        awaitChange();
      }
    } finally {
      lock.unlock();
    }
  }

  /** An interrupt is user code's, which ran on this thread. The caller has the lock. */
  @SuppressWarnings("WaitNotInLoop") // the callers loop
  private void awaitChange() {
    try {
      var _ = changed.awaitNanos(LOOK_NANOS);
    } catch (InterruptedException e) {
      Thread.onSpinWait();
    }
    requireGoing.run();
  }

  /** Waits until fewer inputs than a limit are unanswered. */
  void awaitRoom(int limit) {
    awaitUntil(() -> unanswered.size() < limit);
  }

  /**
   * Waits until all inputs that were taken have reached the worker. One that is still being sent
   * may yet have to be sent to the next worker, in a pass of its own.
   */
  void awaitArrived() {
    awaitUntil(() -> unanswered.all(input -> input.arrived));
  }

  /** Waits until all inputs are answered and the worker is in no pass. */
  void awaitPassEnd() {
    awaitUntil(() -> pass.open() == null && unanswered.size() == 0);
  }

  /** Waits until the worker is in a pass. */
  PassState awaitPass() {
    lock.lock();
    try {
      requireGoing.run();
      PassState open = pass.open();
      while (open == null) {
        awaitChange();
        open = pass.open();
      }
      return open;
    } finally {
      lock.unlock();
    }
  }

  /** Waits for a moment, or until something has changed. */
  void awaitNews() {
    lock.lock();
    try {
      awaitChange();
    } finally {
      lock.unlock();
    }
  }

  /** Makes all waits look again. */
  void wake() {
    note(() -> {});
  }

  // inputs

  /** Takes note of an input that the lane will send. */
  void add(Input input) {
    note(() -> unanswered.add(input));
  }

  /** Returns whether an input is unanswered. */
  boolean has(long number) {
    return find(number) != null;
  }

  /** Returns an input, or null when it is not here any more. */
  @Nullable Input find(long number) {
    return look(() -> unanswered.find(number));
  }

  /** Takes an input out; returns false when somebody else has done so. */
  boolean remove(Input input) {
    List<Delivery> dropped = new ArrayList<>(0);
    boolean mine =
        change(
            () -> {
              dropped.addAll(input.group.take());
              input.doneNanos = System.nanoTime();
              return unanswered.remove(input);
            });
    dropped.forEach(Delivery::drop);
    return mine;
  }

  /** Returns the inputs of passes that were left. */
  List<Input> unwanted() {
    return look(() -> unanswered.those(input -> epochs.isCancelled(input.epoch())));
  }

  /** Takes everything out. */
  List<Input> clear() {
    List<Input> all = look(() -> unanswered.those(input -> true));
    return all.stream().filter(this::remove).toList();
  }

  // the pass

  /** Returns the epoch of the pass that the worker was in last. */
  long passEpoch() {
    return pass.epoch();
  }

  /**
   * Returns the worker's pass for an input and counts this as sent, or null when it was dealt with
   * meanwhile. A pass is opened when the worker is in none.
   *
   * @throws LeftEpoch when nobody wants the input
   */
  @Nullable PassState open(Input input, Supplier<PassState> newPass) {
    return change(() -> opened(input, newPass));
  }

  private @Nullable PassState opened(Input input, Supplier<PassState> newPass) {
    if (epochs.isCancelled(input.epoch())) {
      throw new LeftEpoch();
    }
    if (input.sent || !unanswered.has(input)) {
      return null;
    }
    PassState open = pass.openFor(input.epoch(), newPass);
    input.begun = true;
    input.sent = true;
    input.sentNanos = System.nanoTime();
    return open;
  }

  /** Takes note that the worker has an input: from now on it has something to do. */
  void arrived(Input input) {
    note(
        () -> {
          input.arrived = true;
          input.arrivedNanos = System.nanoTime();
        });
  }

  /** Takes note that the worker knows that its pass has no more inputs. */
  void inputsEnded() {
    note(pass::inputsEnded);
  }

  /** Takes back that an input was sent: the worker had ended before. */
  void notSent(Input input) {
    note(
        () -> {
          input.sent = false;
          input.arrived = false;
        });
  }

  /** Returns the worker's pass if it belongs to an epoch. */
  @Nullable PassState passOf(long epoch) {
    return look(() -> pass.epoch() == epoch ? pass.open() : null);
  }

  /**
   * Has the worker leave its pass when nobody wants that any more. Under the lock, since of two
   * passes begun at the same time the worker would take the wrong one for the newer.
   */
  void leaveCancelled(Supplier<PassState> newPass) {
    note(
        () -> {
          if (pass.open() != null && epochs.isCancelled(pass.epoch())) {
            pass.leave(newPass);
          }
        });
  }

  /** Takes note that the worker's pass has ended; returns the inputs that it owes an answer. */
  List<Input> passEnded() {
    return change(
        () -> {
          pass.ended();
          return unanswered.those(input -> input.sent);
        });
  }

  /**
   * Returns how long the worker has had something to say without another input, 0 when it may be
   * waiting for one: a batch that is not whole is collected until the pass ends. Then it owes what
   * it has and the end itself.
   */
  long busyNanos() {
    return look(
        () -> {
          List<Input> inside = unanswered.those(input -> input.arrived);
          return inside.size() < inputsPerAnswer
              ? pass.endingNanos()
              : System.nanoTime() - inside.get((int) inputsPerAnswer - 1).arrivedNanos;
        });
  }

  // answers

  /** Takes note of an answer; see {@link Answering#answered}. */
  Settled answered(List<Delivery> made, List<Long> stemming, List<Long> done) {
    return change(
        () -> {
          deaths.answered();
          return answering.answered(made, stemming, done);
        });
  }

  // death

  /**
   * Takes note of the worker's death: everything that was in it is to be done again.
   *
   * @return an input that is to blame, because it was alone in the worker at its second death
   */
  List<Input> died() {
    List<Delivery> dropped = new ArrayList<>();
    List<Input> poison =
        change(
            () -> {
              pass.died();
              List<Input> toBlame = deaths.died(unanswered.those(input -> input.sent));
              for (Input input : unanswered.those(input -> true)) {
                dropped.addAll(input.group.take());
                input.beginAgain();
              }
              return toBlame;
            });
    dropped.forEach(Delivery::drop);
    return poison;
  }

  /** Returns how many workers have died since the last answer. */
  int deathsInRow() {
    return look(deaths::inRow);
  }

  /** Returns what was in a worker when it died. */
  List<Input> toDoAgain() {
    return look(() -> unanswered.those(input -> input.deaths > 0));
  }
}
