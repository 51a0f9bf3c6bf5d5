package dev.holdfast.loader.internal.parent;

import dev.holdfast.arena.ArenaReader;
import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.arena.internal.events.Recorder;
import dev.holdfast.arena.internal.fault.FaultPoint;
import dev.holdfast.arena.internal.memory.SharedFile;
import dev.holdfast.arena.payload.EncodedItem;
import dev.holdfast.arena.payload.ItemCodec;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.SubprocessOptions;
import dev.holdfast.loader.WorkerSource;
import dev.holdfast.loader.internal.channel.ChannelMemory;
import dev.holdfast.loader.internal.events.WorkerStartedEvent;
import dev.holdfast.loader.internal.launch.Durations;
import dev.holdfast.loader.internal.launch.WorkerProcess;
import dev.holdfast.loader.internal.pipeline.HostedSource;
import dev.holdfast.loader.internal.worker.WorkerSetup;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Starts workers. */
public final class WorkerStarter {
  private WorkerStarter() {}

  /** Starts a worker and waits until it is ready. */
  public static <T extends @Nullable Object> SubprocessIterable<T> start(
      WorkerSource<T> source, SubprocessOptions options) {
    @Nullable SharedMemoryArena arena = options.arena().orElse(null);
    Teardown teardown = new Teardown(arena, source instanceof HostedSource);
    try {
      MemorySegment setup = encode(source, options);
      Session session = connect(source, options, setup, teardown);
      return new WorkerIterable<>(session, teardown, arena);
    } catch (Throwable e) {
      teardown.undo(e);
      throw e;
    }
  }

  private static MemorySegment encode(WorkerSource<?> source, SubprocessOptions options) {
    return encode(
        new WorkerSetup(
            source,
            options.initializers(),
            options.arena().orElse(null),
            options.codec(),
            0,
            1,
            Seeds.ofWorker(options.seed(), 0)));
  }

  static MemorySegment encode(WorkerSetup setup) {
    ItemCodec.Encoder encoder = ItemCodec.standard().newEncoder();
    try {
      EncodedItem encoded = encoder.encode(setup, null);
      return encoded.bytes();
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "the source or an initializer cannot cross to a worker: " + e.getMessage(), e);
    }
  }

  private static Session connect(
      WorkerSource<?> source, SubprocessOptions options, MemorySegment setup, Teardown teardown) {
    return connect(
        options,
        setup,
        teardown,
        0,
        options.arena().orElse(null),
        arena -> {
          ArenaReader reader = arena.openReader();
          teardown.owns(reader);
          return reader;
        },
        source.getClass().getClassLoader(),
        () -> {});
  }

  /**
   * Starts a worker and waits until it is ready.
   *
   * @param options how
   * @param setup its encoded setup
   * @param teardown is told what there is to end
   * @param inputBytes the size of the input ring, 0 for none
   * @param arena where its items' binaries lie, or null
   * @param readers gives the reader of the arena, once the process was started
   * @param loader where classes of items are looked up, or null
   * @param check looked at while waiting; what it throws ends the start
   */
  static Session connect(
      SubprocessOptions options,
      MemorySegment setup,
      Teardown teardown,
      long inputBytes,
      @Nullable SharedMemoryArena arena,
      Function<SharedMemoryArena, ArenaReader> readers,
      @Nullable ClassLoader loader,
      Runnable check) {
    @Nullable WorkerStartedEvent event = Recorder.isThere() ? new WorkerStartedEvent() : null;
    if (event != null) {
      event.begin();
    }
    long begin = System.nanoTime();
    Figures figures = new Figures();
    WorkerProcess process;
    ChannelMemory memory;
    try (SharedFile file = ChannelMemory.reserve(options.channelBytes(), inputBytes)) {
      memory = ChannelMemory.create(file, options.channelBytes(), options.bufferSize(), inputBytes);
      teardown.owns(memory);
      process = WorkerProcess.start(options, file, new EndSignal(memory));
      teardown.owns(process);
    }
    if (FaultPoint.ENABLED) {
      FaultPoint.PARENT_STARTED_WORKER.reach();
    }
    @Nullable ArenaReader reader = arena == null ? null : readers.apply(arena);
    Session session =
        new Session(
            memory,
            process,
            arena,
            reader,
            decoder(loader, options, reader),
            timeout(options),
            figures);
    teardown.owns(session);
    long limit = Durations.nanos(options.startTimeout());
    session.setUp(
        setup,
        () -> {
          check.run();
          if (System.nanoTime() - begin > limit) {
            throw Failures.silent(process, "the worker was not ready in time", limit);
          }
        });
    process.started();
    figures.startNanos = System.nanoTime() - begin;
    if (event != null) {
      event.pid = process.pid();
      event.commit();
    }
    return session;
  }

  private static ItemCodec.Decoder decoder(
      @Nullable ClassLoader loader, SubprocessOptions options, @Nullable ArenaReader reader) {
    return options
        .codec()
        .codec()
        .newDecoder(
            options.deserializationFilter().orElse(null),
            loader == null ? ClassLoader.getSystemClassLoader() : loader,
            reader != null && reader.writableViews());
  }

  private static long timeout(SubprocessOptions options) {
    return options.timeout().map(Durations::nanos).orElse(Long.MAX_VALUE);
  }

  /** Wakes whoever waits for a worker that has ended; knows the channel's memory alone. */
  private record EndSignal(ChannelMemory memory) implements Runnable {

    @Override
    public void run() {
      if (memory.retain()) {
        try {
          memory.wakeOwnWaiters();
        } finally {
          memory.release();
        }
      }
    }
  }
}
