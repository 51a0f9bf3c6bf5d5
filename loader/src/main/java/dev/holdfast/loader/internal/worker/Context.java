package dev.holdfast.loader.internal.worker;

import dev.holdfast.loader.WorkerContext;
import dev.holdfast.loader.internal.channel.Channel;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** What user code learns about its worker. Made on the iterating thread. */
final class Context implements WorkerContext, RegionInputs {
  private final WorkerSetup setup;
  private final Control control;
  private final Thread iterating = Thread.currentThread();

  /** Set before the first pass; the iterating thread's. */
  private @Nullable ItemSender items;

  Context(WorkerSetup setup, Control control) {
    this.setup = setup;
    this.control = control;
  }

  /** Says who sends the items that memory is allocated for. */
  void sendsWith(ItemSender sender) {
    items = sender;
  }

  @Override
  public int index() {
    return setup.index();
  }

  @Override
  public int count() {
    return setup.count();
  }

  @Override
  public long seed() {
    return setup.seed();
  }

  @Override
  public boolean stopRequested() {
    return control.stopRequested();
  }

  @Override
  public MemorySegment allocate(long byteSize) {
    if (Thread.currentThread() != iterating) {
      throw new IllegalStateException(
          "memory for items is allocated by the iterating thread alone: asked=%s iterating=%s"
              .formatted(Thread.currentThread().getName(), iterating.getName()));
    }
    if (byteSize < 0) {
      throw new IllegalArgumentException("byteSize must not be negative: byteSize=" + byteSize);
    }
    ItemSender sender = items;
    if (sender == null) {
      throw ItemSender.noPass();
    }
    return sender.allocate(byteSize);
  }

  @Override
  public Channel inputs() {
    return control.memory().inputs();
  }

  @Override
  public long pass() {
    ItemSender sender = items;
    if (sender == null) {
      throw ItemSender.noPass();
    }
    return sender.pass();
  }

  @Override
  public void checkPass() {
    control.checkPass();
  }

  @Override
  public boolean ended() {
    return control.memory().ended();
  }
}
