package dev.holdfast.loader.internal.parent;

import dev.holdfast.arena.ArenaReader;
import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.loader.SubprocessOptions;
import dev.holdfast.loader.WorkerInitializer;
import dev.holdfast.loader.WorkerSource;
import dev.holdfast.loader.internal.channel.Channel;
import dev.holdfast.loader.internal.worker.WorkerSetup;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A worker of a region. Its results come in passes like those of any worker; its inputs go through
 * a channel of their own. Arenas are the region's.
 */
public final class RegionWorker {
  private final Session session;
  private final End end;
  private final Channel inputs;
  private final Restorer<@Nullable Object> restorer;

  /** What is known of a worker's end, from before its start. */
  public static final class End {
    private final Teardown teardown = new Teardown(null, false);

    private End() {}

    /** Returns whether the worker does not run any more, and will not: a failed start is undone. */
    public boolean isProved() {
      return teardown.hasEnded();
    }

    /**
     * Tries again to undo a start that has failed.
     *
     * @throws dev.holdfast.arena.StorageRetainedException when the worker's end is not certain
     */
    public void tryAgain() {
      if (teardown.hasBegun()) {
        teardown.close();
      }
    }
  }

  private RegionWorker(Session session, End end) {
    this.session = session;
    this.end = end;
    this.inputs = session.inputs();
    this.restorer = session.newRestorer();
  }

  /**
   * Starts one and waits until it is ready.
   *
   * @param starting is told first what will be known of the worker's end; what it throws ends the
   *     start
   * @param source what it runs
   * @param initializers what it runs before
   * @param options how to start it
   * @param index which one it is
   * @param count how many there are
   * @param seed the region's seed
   * @param outputArena where results' binaries lie, or null
   * @param reader the reader of that arena, which stays open when the worker ends, or null
   * @param loader where classes of results are looked up, or null
   * @param check looked at while waiting; what it throws ends the start, and nothing is left
   */
  public static RegionWorker start(
      Consumer<End> starting,
      WorkerSource<?> source,
      List<WorkerInitializer> initializers,
      SubprocessOptions options,
      int index,
      int count,
      long seed,
      @Nullable SharedMemoryArena outputArena,
      @Nullable ArenaReader reader,
      @Nullable ClassLoader loader,
      Runnable check) {
    End end = new End();
    try {
      starting.accept(end);
      MemorySegment setup =
          WorkerStarter.encode(
              new WorkerSetup(
                  source,
                  initializers,
                  outputArena,
                  options.codec(),
                  index,
                  count,
                  Seeds.ofWorker(seed, index)));
      Session session =
          WorkerStarter.connect(
              options,
              setup,
              end.teardown,
              options.channelBytes(),
              reader == null ? null : outputArena,
              _ -> Objects.requireNonNull(reader),
              loader,
              check);
      return new RegionWorker(session, end);
    } catch (Throwable e) {
      end.teardown.undo(e);
      throw e;
    }
  }

  /** Returns the process id. */
  public long pid() {
    return session.process().pid();
  }

  /** Returns where inputs go. */
  public Channel inputs() {
    return inputs;
  }

  /** Begins a pass, which ends the one before. */
  public PassState newPass() {
    return session.newPass();
  }

  /** Waits for what comes next in a pass and takes it. */
  public Arrival next(PassState pass) {
    session.lock().lock();
    try {
      Arrival next = session.nextOf(pass);
      pass.next = null;
      return next;
    } finally {
      session.lock().unlock();
    }
  }

  /** Makes a parcel of a result. */
  public ReceivedParcel<@Nullable Object> parcel(Arrival.Item item) {
    return new ReceivedParcel<>(this, restorer, item);
  }

  /** Returns whether the process has ended. */
  public boolean hasEnded() {
    return end.isProved();
  }

  /** Returns whether an end is this worker's. */
  public boolean endsWith(End other) {
    return end.equals(other);
  }

  /** Ends the process at once; its death is then dealt with as any other. */
  public void kill() {
    session.process().kill();
  }

  /** Makes every wait for it end. */
  public void beginClosing() {
    session.beginClosing();
  }

  /**
   * Ends the process and its channel.
   *
   * @throws dev.holdfast.arena.StorageRetainedException when its end is not certain
   */
  public void close() {
    end.teardown.close();
  }
}
