package dev.holdfast.loader.internal.region;

import dev.holdfast.loader.internal.parent.PassState;
import dev.holdfast.loader.internal.pipeline.Epochs;
import java.util.ArrayList;
import java.util.LinkedHashMap;
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
  private static final int DEATHS_OF_POISON = 2;

  private final Epochs epochs;
  private final boolean wholeGroups;
  private final Runnable requireGoing;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  // guarded by the lock; the pass's epoch is read without it
  private final LinkedHashMap<Long, Input> unanswered = new LinkedHashMap<>();
  private @Nullable PassState pass;
  private @Nullable PassState spare;
  private volatile long passEpoch;
  private int deathsInRow;

  /**
   * Makes an empty book.
   *
   * @param epochs which passes were left
   * @param wholeGroups whether inputs that share results are settled together
   * @param requireGoing throws when the lane is to end; ends every wait
   */
  LaneBook(Epochs epochs, boolean wholeGroups, Runnable requireGoing) {
    this.epochs = epochs;
    this.wholeGroups = wholeGroups;
    this.requireGoing = requireGoing;
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

  /** Waits until all inputs that were taken have been sent. */
  void awaitSent() {
    awaitUntil(() -> unanswered.values().stream().allMatch(input -> input.sent));
  }

  /** Waits until all inputs are answered and the worker is in no pass. */
  void awaitPassEnd() {
    awaitUntil(() -> pass == null && unanswered.isEmpty());
  }

  /** Waits until the worker is in a pass. */
  PassState awaitPass() {
    lock.lock();
    try {
      requireGoing.run();
      while (pass == null) {
        awaitChange();
      }
      return pass;
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
    lock.lock();
    try {
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  // inputs

  /** Takes note of an input that the lane will send. */
  void add(Input input) {
    lock.lock();
    try {
      unanswered.put(input.number, input);
    } finally {
      lock.unlock();
    }
  }

  /** Returns whether an input is unanswered. */
  boolean has(long number) {
    return find(number) != null;
  }

  /** Returns an input, or null when it is not here any more. */
  @Nullable Input find(long number) {
    lock.lock();
    try {
      return unanswered.get(number);
    } finally {
      lock.unlock();
    }
  }

  /** Takes an input out; returns false when somebody else has done so. */
  boolean remove(Input input) {
    List<Delivery> dropped;
    boolean mine;
    lock.lock();
    try {
      mine = unanswered.remove(input.number) != null;
      dropped = input.group.take();
      input.doneNanos = System.nanoTime();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    dropped.forEach(Delivery::drop);
    return mine;
  }

  /** Returns the inputs of passes that were left. */
  List<Input> unwanted() {
    lock.lock();
    try {
      return unanswered.values().stream()
          .filter(input -> epochs.isCancelled(input.epoch()))
          .toList();
    } finally {
      lock.unlock();
    }
  }

  /** Takes everything out. */
  List<Input> clear() {
    List<Input> all;
    lock.lock();
    try {
      all = List.copyOf(unanswered.values());
    } finally {
      lock.unlock();
    }
    return all.stream().filter(this::remove).toList();
  }

  // the pass

  /** Returns the epoch of the pass that the worker was in last. */
  long passEpoch() {
    return passEpoch;
  }

  /**
   * Returns the worker's pass for an input and counts this as sent, or null when it was dealt with
   * meanwhile. A pass is opened when the worker is in none.
   *
   * @throws LeftEpoch when nobody wants the input
   */
  @Nullable PassState open(Input input, Supplier<PassState> newPass) {
    lock.lock();
    try {
      if (epochs.isCancelled(input.epoch())) {
        throw new LeftEpoch();
      }
      if (input.sent || !unanswered.containsKey(input.number)) {
        return null;
      }
      if (pass == null) {
        pass = spare == null ? newPass.get() : spare;
        spare = null;
        passEpoch = input.epoch();
      }
      input.begun = true;
      input.sent = true;
      input.sentNanos = System.nanoTime();
      changed.signalAll();
      return pass;
    } finally {
      lock.unlock();
    }
  }

  /** Takes note that the worker has an input: from now on it has something to do. */
  void arrived(Input input) {
    lock.lock();
    try {
      input.arrived = true;
      input.arrivedNanos = System.nanoTime();
    } finally {
      lock.unlock();
    }
  }

  /** Takes back that an input was sent: the worker had ended before. */
  void notSent(Input input) {
    lock.lock();
    try {
      input.sent = false;
      input.arrived = false;
    } finally {
      lock.unlock();
    }
  }

  /** Returns the worker's pass if it belongs to an epoch. */
  @Nullable PassState passOf(long epoch) {
    lock.lock();
    try {
      return passEpoch == epoch ? pass : null;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Has the worker leave its pass when nobody wants that any more. Under the lock, since of two
   * passes begun at the same time the worker would take the wrong one for the newer.
   */
  void leaveCancelled(Supplier<PassState> newPass) {
    lock.lock();
    try {
      if (pass != null && epochs.isCancelled(passEpoch) && spare == null) {
        spare = newPass.get();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Takes note that the worker's pass has ended; returns the inputs that it owes an answer. */
  List<Input> passEnded() {
    lock.lock();
    try {
      pass = null;
      changed.signalAll();
      return unanswered.values().stream().filter(input -> input.sent).toList();
    } finally {
      lock.unlock();
    }
  }

  /** Returns since when the worker has had something to do, or now when it has nothing. */
  long busySince() {
    long now = System.nanoTime();
    lock.lock();
    try {
      long longest = 0;
      for (Input input : unanswered.values()) {
        longest = input.arrived ? Math.max(longest, now - input.arrivedNanos) : longest;
      }
      return now - longest;
    } finally {
      lock.unlock();
    }
  }

  // answers

  /**
   * What an answer has settled.
   *
   * @param ready what goes on now
   * @param finished inputs of which nothing more comes
   * @param dropped what belongs to inputs that are not here any more
   */
  record Settled(List<Delivery> ready, List<Input> finished, List<Delivery> dropped) {
    Settled() {
      this(new ArrayList<>(1), new ArrayList<>(1), new ArrayList<>(0));
    }
  }

  /**
   * Takes note of an answer.
   *
   * @param made what it brings
   * @param stemming the inputs that its result stems from
   * @param done the inputs that are done with it
   */
  Settled answered(List<Delivery> made, List<Long> stemming, List<Long> done) {
    Settled settled = new Settled();
    lock.lock();
    try {
      deathsInRow = 0;
      if (wholeGroups) {
        join(stemming);
      }
      for (Delivery delivery : made) {
        if (!unanswered.containsKey(delivery.input().number)) {
          settled.dropped().add(delivery);
        } else if (wholeGroups) {
          delivery.input().group.add(delivery);
        } else {
          settled.ready().add(delivery);
        }
      }
      for (long number : done) {
        Input input = unanswered.get(number);
        if (input != null) {
          input.done = true;
          input.doneNanos = System.nanoTime();
          settle(input.group, settled);
        }
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    return settled;
  }

  private void join(List<Long> stemming) {
    @Nullable Group first = null;
    for (long number : stemming) {
      Input input = unanswered.get(number);
      if (input != null && first == null) {
        first = input.group;
      } else if (input != null && first != null) {
        first.join(input.group);
      }
    }
  }

  private void settle(Group group, Settled settled) {
    if (wholeGroups && !group.isDone()) {
      return;
    }
    settled.ready().addAll(group.take());
    for (Input input : group.inputs()) {
      if (input.done && unanswered.remove(input.number) != null) {
        settled.finished().add(input);
      }
    }
  }

  // death

  /**
   * Takes note of the worker's death: everything that was in it is to be done again.
   *
   * @return an input that is to blame, because it was alone in the worker at its second death
   */
  List<Input> died() {
    List<Input> poison = new ArrayList<>(0);
    List<Delivery> dropped = new ArrayList<>();
    lock.lock();
    try {
      pass = null;
      spare = null;
      deathsInRow++;
      List<Input> inside = unanswered.values().stream().filter(input -> input.sent).toList();
      for (Input input : inside) {
        input.deaths++;
        if (inside.size() == 1 && input.deaths >= DEATHS_OF_POISON) {
          poison.add(input);
        }
      }
      for (Input input : unanswered.values()) {
        dropped.addAll(input.group.take());
        input.group = new Group(input);
        input.done = false;
        input.sent = false;
        input.arrived = false;
      }
    } finally {
      lock.unlock();
    }
    dropped.forEach(Delivery::drop);
    return poison;
  }

  /** Returns how many workers have died since the last answer. */
  int deathsInRow() {
    lock.lock();
    try {
      return deathsInRow;
    } finally {
      lock.unlock();
    }
  }

  /** Returns what was in a worker when it died. */
  List<Input> toDoAgain() {
    lock.lock();
    try {
      return unanswered.values().stream().filter(input -> input.deaths > 0).toList();
    } finally {
      lock.unlock();
    }
  }
}
