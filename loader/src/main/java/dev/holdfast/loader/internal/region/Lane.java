package dev.holdfast.loader.internal.region;

import dev.holdfast.arena.AcquireTimeoutException;
import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.loader.Lease;
import dev.holdfast.loader.WorkerDiedException;
import dev.holdfast.loader.WorkerFailedException;
import dev.holdfast.loader.WorkerTimeoutException;
import dev.holdfast.loader.internal.parent.Arrival;
import dev.holdfast.loader.internal.parent.PassState;
import dev.holdfast.loader.internal.parent.RegionWorker;
import dev.holdfast.loader.internal.pipeline.Cell;
import dev.holdfast.loader.internal.pipeline.Content;
import dev.holdfast.loader.internal.pipeline.ItemText;
import dev.holdfast.loader.internal.pipeline.StageFigures;
import dev.holdfast.loader.internal.pipeline.Stopped;
import dev.holdfast.loader.internal.pipeline.Trouble;
import dev.holdfast.loader.pipeline.StageFailedException;
import java.io.IOException;
import java.lang.System.Logger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One worker of a region, and those that replace it: a thread that sends inputs and one that takes
 * results.
 *
 * <p>A pass of the pipeline is a pass of the worker. The sender opens it with its first input; it
 * ends when the worker, told that no more inputs come, has answered all. A pass that was left is
 * superseded by the next one, as for any worker.
 *
 * <p>When the worker dies, the receiver has taken every complete result first. It then waits for
 * the sender to give up, replaces the worker, and sends the unanswered inputs one at a time, each
 * in a pass of its own: so a batch inside the region is answered too, and it is known who was alone
 * in the worker when that dies again.
 *
 * <p>Locks: whoever sends has the sending lock; the other lock guards fields and is held for no
 * wait for the worker. The sending lock comes first.
 */
final class Lane {
  private static final Logger LOG = System.getLogger("dev.holdfast.loader");
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long END_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final int DEATHS_OF_POISON = 2;

  private final RegionNode node;
  private final int index;
  private final LaneArenas arenas;
  private final ReentrantLock sending = new ReentrantLock();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final List<Thread> threads = new ArrayList<>();

  private volatile @Nullable RegionWorker worker;
  private volatile boolean closing;
  private volatile boolean closed;
  private volatile @Nullable RuntimeException startFailure;
  private volatile @Nullable RuntimeException closeFailure;
  private volatile List<StageFigures.Snapshot> figures = List.of();

  /** Figures of workers that have died, and of the stages in the one that works. */
  private final Map<String, StageFigures.Snapshot> earlier = new ConcurrentHashMap<>();

  // guarded by the lock
  private final LinkedHashMap<Long, Input> unanswered = new LinkedHashMap<>();
  private @Nullable PassState pass;
  private @Nullable PassState spare;
  private long passEpoch;
  private int deathsInRow;

  private @Nullable InputSender sender; // guarded by the sending lock
  private @Nullable Answers announced; // the receiver's

  Lane(RegionNode node, int index, LaneArenas arenas) {
    this.node = node;
    this.index = index;
    this.arenas = arenas;
  }

  int index() {
    return index;
  }

  // start

  void openArenas() {
    arenas.open(node.region.onWorkerDeath());
  }

  void tryStart() {
    sending.lock();
    try {
      startWorker();
    } catch (RuntimeException e) {
      startFailure = e;
    } finally {
      sending.unlock();
    }
  }

  @Nullable RuntimeException startFailure() {
    return startFailure;
  }

  /** The caller has the sending lock. */
  private void startWorker() {
    RegionWorker started =
        RegionWorker.start(
            new RegionSource(
                node.step.steps(),
                node.inputOrder(),
                arenas.input(),
                node.region.options().codec()),
            node.region.initializers(),
            node.region.options(),
            index,
            node.region.workers(),
            node.region.seed(),
            arenas.output(),
            arenas.reader(),
            Thread.currentThread().getContextClassLoader());
    lock.lock();
    try {
      worker = started;
      pass = null;
      spare = null;
    } finally {
      lock.unlock();
    }
    sender =
        new InputSender(
            started.inputs(),
            node.region.options().codec().codec().newEncoder(),
            arenas.writer(),
            () -> checkSending(started),
            node.host::complain);
    if (closing) {
      started.beginClosing();
    }
  }

  private void checkSending(RegionWorker current) {
    node.requireGoing();
    if (current.hasEnded()) {
      throw new LostWorker();
    }
    if (node.epochs.isCancelled(passEpoch)) {
      throw new LeftEpoch();
    }
  }

  void startThreads() {
    threads.add(
        Thread.ofPlatform().daemon().name("holdfast-region-send-" + index).start(this::sendAll));
    threads.add(
        Thread.ofPlatform()
            .daemon()
            .name("holdfast-region-receive-" + index)
            .start(this::receiveAll));
  }

  // the sender

  private void sendAll() {
    try {
      while (true) {
        awaitRoom();
        Input input = node.nextInput(this);
        if (input != null) {
          send(input);
        }
      }
    } catch (Stopped e) {
      LOG.log(Logger.Level.TRACE, "a sender of a region has ended");
    } catch (Throwable e) {
      broken(e);
    }
  }

  private void broken(Throwable thrown) {
    if (!closing) {
      LOG.log(Logger.Level.ERROR, "a thread of a region failed", thrown);
      node.fail(
          passEpoch,
          thrown instanceof RuntimeException e
              ? e
              : new IllegalStateException("a thread of a region failed", thrown));
    }
  }

  private void awaitRoom() {
    lock.lock();
    try {
      while (unanswered.size() >= node.inputsAhead) {
        await();
      }
      node.requireGoing();
    } finally {
      lock.unlock();
    }
  }

  /** Waits for a change; the caller has the lock and looks again. */
  @SuppressWarnings("WaitNotInLoop") // the callers loop
  private void await() {
    node.requireGoing();
    try {
      var _ = changed.awaitNanos(LOOK_NANOS);
    } catch (InterruptedException e) {
      node.requireGoing();
    }
    node.requireGoing();
  }

  /** Takes note of an input that this lane will send. */
  void takes(Input input) {
    lock.lock();
    try {
      unanswered.put(input.number, input);
    } finally {
      lock.unlock();
    }
  }

  /** Returns whether this lane has an input. */
  boolean has(long number) {
    lock.lock();
    try {
      return unanswered.containsKey(number);
    } finally {
      lock.unlock();
    }
  }

  private void send(Input input) {
    sending.lock();
    try {
      long number = openPass(input);
      if (number >= 0) {
        transmit(number, input);
      }
    } catch (LostWorker e) {
      // the receiver replaces the worker and sends the input again
      LOG.log(Logger.Level.DEBUG, "a worker was lost while an input was sent to it");
    } catch (LeftEpoch e) {
      forget(input);
    } finally {
      sending.unlock();
    }
  }

  /** Returns the worker's pass for an input, or -1 when the input was dealt with meanwhile. */
  private long openPass(Input input) {
    lock.lock();
    try {
      if (node.epochs.isCancelled(input.epoch())) {
        throw new LeftEpoch();
      }
      if (input.sent || !unanswered.containsKey(input.number)) {
        return -1;
      }
      PassState open = pass;
      if (open == null) {
        open = newPass();
        pass = open;
        passEpoch = input.epoch();
        changed.signalAll();
      }
      input.sent = true;
      changed.signalAll();
      return open.number();
    } finally {
      lock.unlock();
    }
  }

  private PassState newPass() {
    PassState kept = spare;
    spare = null;
    return kept == null ? current().newPass() : kept;
  }

  private RegionWorker current() {
    RegionWorker there = worker;
    if (there == null) {
      throw new Stopped();
    }
    return there;
  }

  /** Opens an input and sends it; one that cannot be opened or cannot cross has failed. */
  private void transmit(long passNumber, Input input) {
    InputSender open = sender;
    if (open == null) {
      throw new Stopped();
    }
    input.sentNanos = System.nanoTime();
    try {
      if (node.replacesWorkers()) {
        if (!input.opened) {
          input.value = input.cell.content().plain();
          input.opened = true;
        }
        open.send(passNumber, input.number, input.value);
      } else {
        try (Lease<@Nullable Object> lease = input.cell.content().open(ViewScope.CONFINED)) {
          open.send(passNumber, input.number, lease.item());
        }
      }
    } catch (LostWorker | LeftEpoch | Stopped e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      settleAlone(input, new Trouble(node.step.name(), input.cell.index(), text(input), e, false));
    }
  }

  private static String text(Input input) {
    return "input " + input.number;
  }

  /** Tells the worker that a pass has no more inputs, once those that were taken are sent. */
  void sendEnd(long epoch) {
    awaitSent();
    sending.lock();
    try {
      PassState open;
      lock.lock();
      try {
        open = passEpoch == epoch ? pass : null;
      } finally {
        lock.unlock();
      }
      if (open != null && sender != null) {
        sender.sendEnd(open.number());
      }
    } catch (LostWorker | LeftEpoch e) {
      LOG.log(Logger.Level.DEBUG, "the end of a pass needs not be sent");
    } finally {
      sending.unlock();
    }
  }

  private void awaitSent() {
    lock.lock();
    try {
      while (unanswered.values().stream().anyMatch(input -> !input.sent)) {
        await();
      }
    } finally {
      lock.unlock();
    }
  }

  void awaitPassEnd() {
    lock.lock();
    try {
      while (pass != null || !unanswered.isEmpty()) {
        await();
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Leaves the pass that nobody wants any more. Under the lock, since of two passes begun at the
   * same time the worker would take the wrong one for the newer.
   */
  void leaveCancelled() {
    RegionWorker there = worker;
    lock.lock();
    try {
      if (pass != null && node.epochs.isCancelled(passEpoch) && spare == null && there != null) {
        spare = there.newPass();
      }
    } catch (RuntimeException e) {
      LOG.log(Logger.Level.DEBUG, "a pass of a region could not be left", e);
    } finally {
      lock.unlock();
    }
  }

  // the receiver

  private void receiveAll() {
    try {
      while (true) {
        PassState open = awaitPass();
        accept(open, current().next(open), false);
      }
    } catch (Stopped e) {
      LOG.log(Logger.Level.TRACE, "a receiver of a region has ended");
    } catch (Throwable e) {
      broken(e);
    }
  }

  private PassState awaitPass() {
    lock.lock();
    try {
      while (pass == null) {
        await();
      }
      node.requireGoing();
      return pass;
    } finally {
      lock.unlock();
    }
  }

  /** What an arrival means for the pass. */
  private enum Course {
    GOES_ON,
    ENDED,
    DIED
  }

  /** Deals with an arrival. A death in a replay is for the caller. */
  private Course accept(PassState open, Arrival arrival, boolean replay) {
    if (node.epochs.isCancelled(passEpoch)) {
      return acceptLeft(arrival, replay);
    }
    switch (arrival) {
      case Arrival.Answer(var bytes) -> {
        Answers answers = Answers.decode(bytes);
        if (!answers.figures().isEmpty()) {
          figures = answers.figures();
        }
        if (answers.hasValue()) {
          announced = answers;
        } else {
          apply(answers, null, null);
        }
      }
      case Arrival.Item item -> {
        Answers answers = announced;
        announced = null;
        if (answers == null) {
          throw new IllegalStateException("a result came that answers nothing");
        }
        apply(answers, new Content.Unopened(current().parcel(item)), null);
      }
      case Arrival.Failure(var failure) -> acceptFailure(failure);
      case Arrival.End _ -> {
        closePass(open);
        return Course.ENDED;
      }
      case Arrival.Lasting(var failure) -> {
        return acceptLasting(failure, replay);
      }
    }
    return Course.GOES_ON;
  }

  private void acceptFailure(RuntimeException failure) {
    Answers answers = announced;
    switch (failure) {
      case AcquireTimeoutException e -> node.host.complain(e);
      case WorkerTimeoutException e -> acceptSilence(e);
      default -> {
        if (answers == null) {
          node.fail(passEpoch, failure);
          throw new Stopped();
        }
        announced = null;
        apply(answers, null, failure);
      }
    }
  }

  private void acceptSilence(WorkerTimeoutException silence) {
    boolean working;
    lock.lock();
    try {
      working = unanswered.values().stream().anyMatch(input -> input.sent);
    } finally {
      lock.unlock();
    }
    if (!working) {
      return; // it only waits for inputs
    }
    if (node.replacesWorkers()) {
      current().kill();
    } else {
      node.fail(passEpoch, silence);
      throw new Stopped();
    }
  }

  private Course acceptLasting(RuntimeException failure, boolean replay) {
    node.requireGoing();
    if (!(failure instanceof WorkerDiedException died) || !node.replacesWorkers()) {
      node.fail(passEpoch, failure);
      throw new Stopped();
    }
    if (!replay) {
      replace(died);
    }
    return Course.DIED;
  }

  /** Takes what still comes of a pass that was left. */
  private Course acceptLeft(Arrival arrival, boolean replay) {
    announced = null;
    if (arrival instanceof Arrival.Item item) {
      current().parcel(item).discard();
      return Course.GOES_ON;
    }
    if (arrival instanceof Arrival.Lasting(var failure) && current().hasEnded()) {
      return acceptLasting(failure, replay);
    }
    if (arrival instanceof Arrival.Lasting || arrival instanceof Arrival.End) {
      forgetAll();
      lock.lock();
      try {
        pass = null;
        changed.signalAll();
      } finally {
        lock.unlock();
      }
      return Course.ENDED;
    }
    return Course.GOES_ON;
  }

  private void closePass(PassState open) {
    List<Input> left;
    lock.lock();
    try {
      if (pass == open) {
        pass = null;
      }
      left = unanswered.values().stream().filter(input -> input.sent).toList();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    for (Input input : left) {
      settleAlone(
          input,
          new Trouble(
              node.step.name(),
              input.cell.index(),
              text(input),
              new IllegalStateException("the worker ended its pass without an answer"),
              true));
    }
  }

  // answers

  private void apply(
      Answers answers, @Nullable Content content, @Nullable RuntimeException failure) {
    List<Group.Result> ready = new ArrayList<>();
    List<Input> finished = new ArrayList<>();
    List<Reportable> troubles = new ArrayList<>();
    lock.lock();
    try {
      deathsInRow = 0;
      note(answers, content, failure, ready, troubles);
      for (long number : answers.done()) {
        Input input = unanswered.get(number);
        if (input != null) {
          input.done = true;
          settle(input.group, ready, finished);
        }
      }
    } finally {
      lock.unlock();
    }
    for (Reportable trouble : troubles) {
      node.host
          .settle(trouble.input().cell, trouble.trouble())
          .forEach(cell -> node.outcomes().deliver(trouble.input().number, cell));
    }
    ready.forEach(
        result -> result.cells().forEach(cell -> node.outcomes().deliver(result.first(), cell)));
    finish(finished);
  }

  private record Reportable(Input input, Trouble trouble) {}

  private void note(
      Answers answers,
      @Nullable Content content,
      @Nullable RuntimeException failure,
      List<Group.Result> ready,
      List<Reportable> troubles) {
    for (Answers.Reported reported : answers.troubles()) {
      Input input = unanswered.get(reported.input());
      if (input != null) {
        troubles.add(new Reportable(input, trouble(input, reported)));
      }
    }
    List<Input> inputs = new ArrayList<>(1);
    for (long number : answers.inputs()) {
      Input input = unanswered.get(number);
      if (input != null) {
        inputs.add(input);
      }
    }
    if (inputs.isEmpty()) {
      if (content != null) {
        content.discard();
      }
      return;
    }
    Input first = inputs.getFirst();
    if (failure != null) {
      troubles.add(
          new Reportable(
              first,
              new Trouble(
                  node.step.steps().getLast().name(),
                  first.cell.index(),
                  text(first),
                  failure,
                  false)));
    }
    if (content == null) {
      return;
    }
    Cell cell = new Cell.Item(first.epoch(), first.cell.index(), content, List.of());
    Group.Result result = new Group.Result(first.number, List.of(cell));
    if (node.replacesWorkers()) {
      inputs.stream().skip(1).forEach(input -> first.group.join(input.group));
      first.group.results().add(result);
    } else {
      ready.add(result);
    }
  }

  private static Trouble trouble(Input input, Answers.Reported reported) {
    RuntimeException thrown =
        reported
            .failure()
            .toException(
                "a stage failed in the worker",
                detail -> detail.with("stage", reported.stage()).with("index", input.cell.index()));
    if (reported.always()) {
      FailureDetail detail =
          reported.failure().detail() == null
              ? FailureDetail.of("an item failed in a stage").with("stage", reported.stage())
              : reported.failure().detail();
      thrown = new StageFailedException(detail.with("index", input.cell.index()), thrown);
    }
    return new Trouble(
        reported.stage(), input.cell.index(), reported.item(), thrown, reported.always());
  }

  /** Takes a group out that is done; the caller has the lock. */
  private void settle(Group group, List<Group.Result> ready, List<Input> finished) {
    if (node.replacesWorkers() && !group.isDone()) {
      return;
    }
    ready.addAll(group.results());
    group.results().clear();
    for (Input input : group.inputs()) {
      if (input.done && unanswered.remove(input.number) != null) {
        finished.add(input);
      }
    }
    changed.signalAll();
  }

  private void finish(List<Input> finished) {
    for (Input input : finished) {
      node.figures.worked(Math.max(1, System.nanoTime() - input.sentNanos));
      input.value = null;
      node.outcomes().done(input.number);
    }
  }

  /** Ends an input that failed outside of the worker. */
  private void settleAlone(Input input, Trouble trouble) {
    boolean mine;
    lock.lock();
    try {
      mine = unanswered.remove(input.number) != null;
      input.group.dropResults();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    if (mine) {
      node.figures.failed();
      node.host
          .settle(input.cell, trouble)
          .forEach(cell -> node.outcomes().deliver(input.number, cell));
      finish(List.of(input));
    }
  }

  /** Ends an input that nobody wants any more. */
  private void forget(Input input) {
    boolean mine;
    lock.lock();
    try {
      mine = unanswered.remove(input.number) != null;
      input.group.dropResults();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    if (mine) {
      if (!input.sent) {
        Group.drop(input.cell);
      }
      node.outcomes().done(input.number);
    }
  }

  private void forgetAll() {
    List<Input> all;
    lock.lock();
    try {
      all = new ArrayList<>(unanswered.values());
    } finally {
      lock.unlock();
    }
    for (Input input : all) {
      if (node.epochs.isCancelled(input.epoch())) {
        forget(input);
      }
    }
  }

  // death

  private void replace(WorkerDiedException death) {
    sending.lock(); // the sender gives up, for its worker has ended
    try {
      WorkerDiedException last = death;
      while (last != null) {
        List<Input> poison = countDeath(last);
        last = restart(last, poison);
        if (last == null) {
          last = replayAll();
        }
      }
    } finally {
      sending.unlock();
    }
  }

  /** Counts a death for everything that was in the worker; returns an input that is poison. */
  private List<Input> countDeath(WorkerDiedException death) {
    List<Input> poison = new ArrayList<>();
    announced = null;
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
        input.group.dropResults();
      }
      for (Input input : unanswered.values()) {
        input.done = false;
        input.group = new Group(input);
      }
    } finally {
      lock.unlock();
    }
    keepFigures();
    if (deathsInRow > node.region.maxRestarts()) {
      node.fail(passEpoch, death);
      throw new Stopped();
    }
    return poison;
  }

  private void keepFigures() {
    for (StageFigures.Snapshot snapshot : figures) {
      earlier.merge(snapshot.name(), snapshot, Lane::sameThreads);
    }
    figures = List.of();
  }

  /** Adds figures of a worker to those of the one before, which had the same threads. */
  private static StageFigures.Snapshot sameThreads(
      StageFigures.Snapshot one, StageFigures.Snapshot other) {
    StageFigures.Snapshot sum = one.plus(other);
    return new StageFigures.Snapshot(
        sum.name(),
        other.concurrency(),
        sum.queueCapacity(),
        sum.items(),
        sum.failures(),
        sum.busyNanos(),
        sum.samples(),
        sum.sampledCells(),
        sum.times());
  }

  /** Starts another worker; returns the death of that one when it does not get so far. */
  private @Nullable WorkerDiedException restart(WorkerDiedException death, List<Input> poison) {
    current().close();
    arenas.replaceWorkersEnds();
    node.restarted.increment();
    for (Input input : poison) {
      settleAlone(
          input,
          new Trouble(node.step.name(), input.cell.index(), poisonText(input), death, false));
    }
    node.requireGoing();
    try {
      startWorker();
      return null;
    } catch (WorkerDiedException e) {
      markUnsent();
      return e;
    } catch (WorkerFailedException | WorkerTimeoutException e) {
      node.fail(passEpoch, e);
      throw new Stopped();
    }
  }

  private static String poisonText(Input input) {
    return input.opened ? ItemText.of(input.value) : text(input);
  }

  private void markUnsent() {
    lock.lock();
    try {
      unanswered.values().forEach(input -> input.sent = false);
    } finally {
      lock.unlock();
    }
  }

  /** Sends what is unanswered one by one; returns the death of the worker if it dies of one. */
  private @Nullable WorkerDiedException replayAll() {
    List<Input> again;
    lock.lock();
    try {
      again = unanswered.values().stream().filter(input -> input.deaths > 0).toList();
      unanswered.values().forEach(input -> input.sent = false);
    } finally {
      lock.unlock();
    }
    for (Input input : again) {
      WorkerDiedException death = replay(input);
      if (death != null) {
        return death;
      }
    }
    return null;
  }

  private @Nullable WorkerDiedException replay(Input input) {
    PassState open;
    try {
      long number = openPass(input);
      if (number < 0) {
        return null;
      }
      lock.lock();
      try {
        open = pass;
      } finally {
        lock.unlock();
      }
      if (open == null || sender == null) {
        return null;
      }
      transmit(number, input);
      sender.sendEnd(number);
    } catch (LeftEpoch e) {
      forget(input);
      lock.lock();
      try {
        pass = null;
        changed.signalAll();
      } finally {
        lock.unlock();
      }
      return null;
    } catch (LostWorker e) {
      lock.lock();
      try {
        open = pass;
      } finally {
        lock.unlock();
      }
      if (open == null) {
        return null;
      }
    }
    while (true) {
      Arrival arrival = current().next(open);
      Course course = accept(open, arrival, true);
      if (course == Course.ENDED) {
        return null;
      }
      if (course == Course.DIED
          && arrival instanceof Arrival.Lasting(var failure)
          && failure instanceof WorkerDiedException death) {
        return death;
      }
    }
  }

  // end

  List<StageFigures.Snapshot> figures() {
    List<StageFigures.Snapshot> all = new ArrayList<>();
    List<StageFigures.Snapshot> now = figures;
    for (StageFigures.Snapshot snapshot : now) {
      StageFigures.Snapshot before = earlier.get(snapshot.name());
      all.add(before == null ? snapshot : sameThreads(before, snapshot));
    }
    if (now.isEmpty()) {
      all.addAll(earlier.values());
    }
    return all;
  }

  void wakeThreads() {
    lock.lock();
    try {
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  void beginClosing() {
    closing = true;
    wakeThreads();
    RegionWorker there = worker;
    if (there != null) {
      there.beginClosing();
    }
    arenas.wake();
  }

  void tryClose() {
    try {
      close();
      closeFailure = null;
    } catch (RuntimeException e) {
      closeFailure = e;
    }
  }

  @Nullable RuntimeException closeFailure() {
    return closeFailure;
  }

  /** Ends the worker first: only then nobody else is in the arenas. */
  private void close() {
    if (closed) {
      return;
    }
    beginClosing();
    awaitThreads();
    RegionWorker there = worker;
    if (there != null) {
      there.close();
    }
    awaitThreads();
    dropAll();
    arenas.close();
    closed = true;
  }

  private void awaitThreads() {
    long start = System.nanoTime();
    for (Thread thread : threads) {
      boolean interrupted = false;
      try {
        long left = END_NANOS - (System.nanoTime() - start);
        var _ = thread.join(Duration.ofNanos(Math.max(1, left)));
      } catch (InterruptedException e) {
        interrupted = true;
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void dropAll() {
    lock.lock();
    try {
      for (Input input : unanswered.values()) {
        input.group.dropResults();
        if (!input.sent) {
          Group.drop(input.cell);
        }
      }
      unanswered.clear();
    } finally {
      lock.unlock();
    }
  }
}
