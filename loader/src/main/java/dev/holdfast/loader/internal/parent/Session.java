package dev.holdfast.loader.internal.parent;

import dev.holdfast.arena.ArenaReader;
import dev.holdfast.arena.HoldfastInterruptedException;
import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.arena.UnitReceipt;
import dev.holdfast.arena.internal.fault.FaultPoint;
import dev.holdfast.arena.payload.Envelope;
import dev.holdfast.arena.payload.ItemCodec;
import dev.holdfast.loader.internal.channel.Channel;
import dev.holdfast.loader.internal.channel.ChannelMemory;
import dev.holdfast.loader.internal.channel.ChannelReceiver;
import dev.holdfast.loader.internal.channel.ChannelSender;
import dev.holdfast.loader.internal.channel.MessageKind;
import dev.holdfast.loader.internal.failure.FailureCodec;
import dev.holdfast.loader.internal.launch.WorkerProcess;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The conversation with one worker. Knows nothing of the public handle over it, so that a dropped
 * handle can be found by the collector.
 *
 * <p>One lock guards the receiving end, the pass in progress and its next arrival. Items are
 * restored outside it. A close sets a flag that every wait looks at and then takes the lock itself.
 */
final class Session {
  private static final MemorySegment NOTHING = MemorySegment.ofArray(new byte[0]);

  private final ChannelMemory memory;
  private final WorkerProcess process;
  private final @Nullable SharedMemoryArena arena;
  private final @Nullable ArenaReader reader;
  private final ItemCodec.Decoder decoder;
  private final long timeoutNanos;
  private final ChannelSender commands;
  private final ChannelReceiver items;
  private final Figures figures;
  private final Runnable check = this::check;
  private final ReentrantLock lock = new ReentrantLock();

  private volatile boolean closing;
  private final AtomicLong newestPass = new AtomicLong();

  // guarded by the lock
  private @Nullable PassState current;
  private long waitingPass;
  private boolean running;
  private boolean stopSent;
  private boolean retryDue;
  private long unitsExpected = -1;
  private @Nullable RuntimeException lasting;

  Session(
      ChannelMemory memory,
      WorkerProcess process,
      @Nullable SharedMemoryArena arena,
      @Nullable ArenaReader reader,
      ItemCodec.Decoder decoder,
      long timeoutNanos,
      Figures figures) {
    this.memory = memory;
    this.process = process;
    this.arena = arena;
    this.reader = reader;
    this.decoder = decoder;
    this.timeoutNanos = timeoutNanos;
    this.figures = figures;
    this.commands = new ChannelSender(memory.commands(), Long.MAX_VALUE);
    this.items = new ChannelReceiver(memory.items());
  }

  WorkerProcess process() {
    return process;
  }

  Channel inputs() {
    return memory.inputs();
  }

  ReentrantLock lock() {
    return lock;
  }

  Figures figures() {
    return figures;
  }

  /** Makes what restores the items of this session. */
  <T extends @Nullable Object> Restorer<T> newRestorer() {
    return new Restorer<>(decoder, reader, figures);
  }

  /** Makes every wait end, now and later. */
  void beginClosing() {
    closing = true;
    wakeWaiters();
  }

  /**
   * Sends the setup and waits until the worker is ready.
   *
   * @param limitCheck throws when it takes too long
   */
  void setUp(MemorySegment setup, Runnable limitCheck) {
    lock.lock();
    try {
      Runnable both =
          () -> {
            check();
            limitCheck.run();
          };
      commands.send(MessageKind.SETUP, 0, 0, setup, both);
      var _ = items.receive(Long.MAX_VALUE, both);
      acceptReady();
    } catch (WorkerGone e) {
      if (!items.poll()) {
        throw Failures.diedEarly(process);
      }
      acceptReady();
    } finally {
      lock.unlock();
    }
  }

  private void acceptReady() {
    unitsExpected =
        switch (items.kind()) {
          case MessageKind.READY -> items.two();
          case MessageKind.UNUSABLE ->
              throw Failures.unusable(FailureCodec.decode(items.body()), items.two());
          default ->
              throw Failures.brokenProtocol(
                  "the worker did not say that it is ready",
                  "kind",
                  items.kind(),
                  MessageKind.READY);
        };
  }

  /**
   * Begins a pass, which supersedes the one before: a thread that waits in that one is woken, the
   * worker hears of it at once, and an item that was looked at and not taken goes back.
   */
  PassState newPass() {
    if (closing) {
      throw Failures.closed();
    }
    PassState pass = new PassState(newestPass.incrementAndGet());
    wakeWaiters();
    lock.lock();
    try {
      if (closing) {
        throw Failures.closed(); // the memory may be gone
      }
      figures.passes.increment();
      // of two passes that are made at once the newer one may have begun by now
      if (current != null && isSuperseded(current)) {
        leave(current);
      }
      return pass;
    } finally {
      lock.unlock();
    }
  }

  /** Waits for nothing: a worker that takes no commands hears of it by the next start. */
  private void leave(PassState pass) {
    dropNext(pass);
    if (!running || stopSent || lasting != null) {
      return;
    }
    try {
      commands.send(
          MessageKind.STOP,
          pass.number,
          0,
          NOTHING,
          () -> {
            throw new NoRoomForCommands();
          });
      stopSent = true;
      nudge();
    } catch (NoRoomForCommands e) {
      stopSent = false;
    } catch (RuntimeException e) {
      var _ = lasting(e); // the first call on the new pass says so
    }
  }

  /** Returns what comes next in a pass, without taking it. May wait. The caller has the lock. */
  Arrival nextOf(PassState pass) {
    if (closing || isSuperseded(pass)) {
      dropNext(pass);
    }
    Arrival next = pass.next;
    if (next == null) {
      next = arrival(pass);
      pass.next = next;
    }
    return next;
  }

  private boolean isSuperseded(PassState pass) {
    return pass.number != newestPass.get();
  }

  private void discard(@Nullable UnitReceipt receipt) {
    if (reader != null && receipt != null) {
      reader.discard(receipt);
    }
    figures.discarded.increment();
  }

  private void dropNext(PassState pass) {
    Arrival next = pass.next;
    pass.next = null;
    if (next instanceof Arrival.Item(_, var receipt, _) && !closing) {
      try {
        discard(receipt);
      } catch (RuntimeException e) {
        var _ = lasting(e); // nobody asked for the item, so this is for whoever asks next
      }
    }
  }

  private Arrival arrival(PassState pass) {
    if (closing) {
      return new Arrival.Lasting(Failures.closed());
    }
    if (isSuperseded(pass)) {
      return new Arrival.Lasting(Failures.superseded());
    }
    if (pass.ended) {
      return new Arrival.End();
    }
    if (lasting != null) {
      return new Arrival.Lasting(lasting);
    }
    try {
      return receive(pass);
    } catch (NoRoomForCommands e) {
      return new Arrival.Failure(
          Failures.silent(process, "the worker takes no commands", timeoutNanos));
    } catch (ClosedWhileWaiting e) {
      return new Arrival.Lasting(Failures.closed());
    } catch (SupersededWhileWaiting e) {
      return new Arrival.Lasting(Failures.superseded());
    } catch (WorkerGone e) {
      return lasting(Failures.died(process));
    } catch (HoldfastInterruptedException e) {
      throw e;
    } catch (RuntimeException e) {
      return lasting(e); // nonsense in the channel, or an arena that somebody else closed
    }
  }

  private Arrival lasting(RuntimeException failure) {
    lasting = failure;
    return new Arrival.Lasting(failure);
  }

  private Arrival receive(PassState pass) {
    waitingPass = pass.number;
    if (!pass.requested) {
      command(MessageKind.START, pass.number);
      pass.requested = true;
      current = pass;
      running = true;
      stopSent = false;
      retryDue = false;
    }
    if (retryDue) {
      retry(pass);
    }
    long callPosition = items.publishedPosition();
    while (true) {
      if (!await()) {
        return new Arrival.Failure(
            Failures.silent(process, "no message came from the worker", timeoutNanos));
      }
      Arrival arrival = items.one() == pass.number ? accept(pass, callPosition) : acceptLeftover();
      if (arrival != null) {
        return arrival;
      }
    }
  }

  /** Waits for a message; messages that a dead worker had completed come first. */
  private boolean await() {
    if (items.poll()) {
      return true;
    }
    if (FaultPoint.ENABLED) {
      FaultPoint.PARENT_WAITING.reach();
    }
    long start = System.nanoTime();
    try {
      return items.receive(timeoutNanos, check);
    } catch (WorkerGone e) {
      if (items.poll()) {
        return true;
      }
      throw e;
    } finally {
      figures.waits.increment();
      figures.waitNanos.add(System.nanoTime() - start);
    }
  }

  private @Nullable Arrival accept(PassState pass, long callPosition) {
    return switch (items.kind()) {
      case MessageKind.STARTED -> acceptStarted();
      case MessageKind.ITEM -> acceptItem(pass, decoder.register(items.takeBody()), null);
      case MessageKind.UNIT_ITEM -> {
        Envelope envelope = decoder.register(withoutReceipt());
        yield acceptItem(pass, envelope, admit());
      }
      case MessageKind.ITEM_FAILED -> acceptItemFailed(pass);
      case MessageKind.NO_SPACE -> acceptNoSpace(pass, callPosition);
      case MessageKind.SOURCE_FAILED -> acceptSourceFailed();
      case MessageKind.FINISHED -> acceptFinished(pass);
      case MessageKind.ANSWER -> new Arrival.Answer(items.takeBody());
      case MessageKind.LEFT ->
          throw Failures.brokenProtocol(
              "the worker left a pass that goes on", "kind", items.kind(), MessageKind.FINISHED);
      default -> acceptOutsidePass();
    };
  }

  private @Nullable Arrival acceptStarted() {
    checkUnits();
    if (reader != null) {
      reader.reset();
    }
    return null;
  }

  private Arrival acceptItemFailed(PassState pass) {
    pass.index++;
    figures.failures.increment();
    return new Arrival.Failure(Failures.itemFailed(FailureCodec.decode(items.body()), items.two()));
  }

  private Arrival acceptSourceFailed() {
    figures.failures.increment();
    return new Arrival.Failure(
        Failures.sourceFailed(FailureCodec.decode(items.body()), items.two()));
  }

  private Arrival acceptFinished(PassState pass) {
    checkUnits();
    pass.ended = true;
    running = false;
    items.trim();
    return new Arrival.End();
  }

  private Arrival acceptItem(PassState pass, Envelope envelope, @Nullable UnitReceipt receipt) {
    if (items.two() != pass.index) {
      throw Failures.brokenProtocol("an item came out of turn", "index", items.two(), pass.index);
    }
    pass.index++;
    return new Arrival.Item(envelope, receipt, items.two());
  }

  /**
   * A complaint that had come before the caller asked says nothing about the space there is now:
   * the worker had only run ahead. It tries again, and complains again when the space is still
   * missing after its limit.
   */
  private @Nullable Arrival acceptNoSpace(PassState pass, long callPosition) {
    if (items.position() < callPosition) {
      retryDue = true;
      retry(pass);
      return null;
    }
    retryDue = true;
    figures.failures.increment();
    return new Arrival.Failure(
        Failures.noSpace(FailureCodec.decode(items.body()), items.two(), arena));
  }

  /** Takes a record of a pass that was left: its unit goes back, its definitions are kept. */
  private @Nullable Arrival acceptLeftover() {
    switch (items.kind()) {
      case MessageKind.ITEM -> {
        var _ = decoder.register(items.takeBody());
        figures.discarded.increment();
      }
      case MessageKind.UNIT_ITEM -> {
        var _ = decoder.register(withoutReceipt());
        discard(admit());
      }
      case MessageKind.STARTED, MessageKind.FINISHED, MessageKind.LEFT -> checkUnits();
      case MessageKind.ITEM_FAILED,
          MessageKind.NO_SPACE,
          MessageKind.SOURCE_FAILED,
          MessageKind.ANSWER -> {
        // nobody waits for that item any more
      }
      default -> {
        return acceptOutsidePass();
      }
    }
    return null;
  }

  private Arrival acceptOutsidePass() {
    if (items.kind() != MessageKind.UNUSABLE) {
      throw Failures.brokenProtocol(
          "an unknown message came from the worker", "kind", items.kind(), MessageKind.ITEM);
    }
    figures.failures.increment();
    return lasting(Failures.unusable(FailureCodec.decode(items.body()), items.two()));
  }

  /**
   * Takes back what has come and nobody will ask for. The caller has the lock and has ended the
   * waits.
   */
  void drain() {
    if (current != null && current.next instanceof Arrival.Item(_, var receipt, _)) {
      current.next = null;
      discard(receipt);
    }
    while (lasting == null && items.poll()) {
      var _ = acceptLeftover();
    }
  }

  private MemorySegment withoutReceipt() {
    MemorySegment body = items.body();
    if (body.byteSize() < UnitReceipt.BYTES) {
      throw Failures.brokenProtocol(
          "a record is too short for its receipt", "bytes", body.byteSize(), UnitReceipt.BYTES);
    }
    return body.asSlice(0, body.byteSize() - UnitReceipt.BYTES);
  }

  private UnitReceipt admit() {
    if (FaultPoint.ENABLED) {
      FaultPoint.PARENT_RECEIVED.reach();
    }
    MemorySegment body = items.body();
    UnitReceipt receipt = UnitReceipt.decode(body, body.byteSize() - UnitReceipt.BYTES);
    if (reader == null || receipt.unit() != unitsExpected) {
      throw Failures.brokenProtocol(
          "a record belongs to another unit", "unit", receipt.unit(), unitsExpected);
    }
    reader.admit(receipt);
    unitsExpected++;
    return receipt;
  }

  private void checkUnits() {
    if (items.two() != unitsExpected) {
      throw Failures.brokenProtocol(
          "units and records do not match", "published", items.two(), unitsExpected);
    }
  }

  private void retry(PassState pass) {
    command(MessageKind.RETRY, pass.number);
    retryDue = false;
  }

  /** Sends a command, which is waited for as a message is when the worker takes none. */
  private void command(int kind, long pass) {
    long start = System.nanoTime();
    commands.send(
        kind,
        pass,
        0,
        NOTHING,
        () -> {
          check();
          if (System.nanoTime() - start > timeoutNanos) {
            throw new NoRoomForCommands();
          }
        });
    nudge();
  }

  /** Makes the worker look at its commands wherever it waits. */
  private void nudge() {
    memory.items().nudgeProducer();
    memory.nudgeInputs();
    if (arena != null) {
      arena.wake();
    }
  }

  private void check() {
    if (closing) {
      throw new ClosedWhileWaiting();
    }
    if (waitingPass != newestPass.get()) {
      throw new SupersededWhileWaiting();
    }
    if (process.hasEnded()) {
      throw new WorkerGone();
    }
  }

  /** Makes threads of this process that wait for the worker look at their conditions. */
  void wakeWaiters() {
    if (memory.retain()) {
      try {
        memory.wakeOwnWaiters();
      } finally {
        memory.release();
      }
    }
  }
}
