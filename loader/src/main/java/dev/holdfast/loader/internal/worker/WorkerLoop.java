package dev.holdfast.loader.internal.worker;

import dev.holdfast.arena.ArenaWriter;
import dev.holdfast.arena.internal.fault.FaultPoint;
import dev.holdfast.arena.payload.ItemCodec;
import dev.holdfast.arena.payload.RestoreMode;
import dev.holdfast.loader.WorkerInitializer;
import dev.holdfast.loader.internal.channel.ChannelMemory;
import dev.holdfast.loader.internal.channel.ChannelSender;
import dev.holdfast.loader.internal.channel.MessageKind;
import dev.holdfast.loader.internal.failure.FailureCodec;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The life of a worker on its main thread: set up, then serve commands until the parent says to
 * end. Whatever goes wrong outside a pass is reported and ends the worker.
 */
final class WorkerLoop {
  private static final MemorySegment NOTHING = MemorySegment.ofArray(new byte[0]);

  private final Control control;
  private final ChannelSender sender;
  private WorkerStage stage = WorkerStage.SETUP;

  WorkerLoop(ChannelMemory memory) {
    this.control = new Control(memory);
    this.sender = new ChannelSender(memory.items(), memory.itemLimit());
  }

  /** Works until the end; returns the exit status. */
  int run() {
    try {
      Pass pass = setUp();
      serve(pass);
      return 0;
    } catch (EndWorker e) {
      return 0;
    } catch (Throwable e) {
      return reportUnusable(e);
    }
  }

  private Pass setUp() throws Exception {
    int kind = control.awaitCommand();
    if (kind != MessageKind.SETUP) {
      throw new IllegalStateException("the first command is no setup: kind=" + kind);
    }
    WorkerSetup setup = decode(control.last().body());
    Context context = new Context(setup, control);
    for (WorkerInitializer initializer : setup.initializers()) {
      if (FaultPoint.ENABLED) {
        FaultPoint.WORKER_INITIALIZING.reach();
      }
      stage = WorkerStage.INITIALIZER;
      initializer.run(context);
    }
    stage = WorkerStage.OPEN;
    Iterable<?> iterable = setup.source().open(context);
    if (iterable == null) {
      throw new IllegalStateException("the source opened to null");
    }
    stage = WorkerStage.ARENA;
    @Nullable ArenaWriter writer = setup.arena() == null ? null : setup.arena().openWriter();
    if (writer != null) {
      writer.whileWaiting(control::checkPass);
    }
    ItemSender items =
        new ItemSender(
            control,
            sender,
            setup.codec().codec().newEncoder(),
            writer,
            new FillMemory(writer, setup.source().sharedFill()));
    context.sendsWith(items);
    Pass pass = new Pass(iterable, items);
    sender.send(MessageKind.READY, 0, pass.published(), NOTHING, control::checkEnd);
    return pass;
  }

  private static WorkerSetup decode(MemorySegment body) throws Exception {
    ItemCodec.Decoder decoder =
        ItemCodec.standard().newDecoder(null, ClassLoader.getSystemClassLoader());
    Object setup = decoder.restore(decoder.register(body), null, RestoreMode.VIEWS);
    return (WorkerSetup) Objects.requireNonNull(setup);
  }

  private void serve(Pass pass) {
    stage = WorkerStage.SERVING;
    while (true) {
      if (FaultPoint.ENABLED) {
        FaultPoint.WORKER_STANDING_BY.reach();
      }
      int kind = control.awaitCommand();
      switch (kind) {
        case MessageKind.START -> pass.run(control.last().one());
        case MessageKind.STOP, MessageKind.RETRY -> {
          // the pass that was meant has ended by itself
        }
        default -> throw new IllegalStateException("an unknown command: kind=" + kind);
      }
    }
  }

  private int reportUnusable(Throwable thrown) {
    try {
      var _ = Thread.interrupted();
      sender.send(
          MessageKind.UNUSABLE, 0, stage.code(), FailureCodec.encode(thrown), control::checkEnd);
    } catch (EndWorker e) {
      return 0;
    } catch (Throwable e) {
      e.addSuppressed(thrown);
      e.printStackTrace();
    }
    return 1;
  }
}
