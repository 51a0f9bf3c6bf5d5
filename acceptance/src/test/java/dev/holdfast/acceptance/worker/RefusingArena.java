package dev.holdfast.acceptance.worker;

import dev.holdfast.arena.ArenaReader;
import dev.holdfast.arena.ArenaWriter;
import dev.holdfast.arena.OpenUnit;
import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.arena.UnitReceipt;
import dev.holdfast.arena.ViewScope;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;

/** An arena that does what another one does, but refuses to be ended while its test wants so. */
public final class RefusingArena implements SharedMemoryArena {
  private static final long serialVersionUID = 1L;

  private final SharedMemoryArena arena;
  private final transient List<Step> steps = new CopyOnWriteArrayList<>();
  private transient volatile boolean refusing;
  private transient volatile boolean refusingToWake;
  private transient volatile boolean unlinked;

  private record Step(Thread asker, String name) {}

  /** Makes one of another one, which refuses nothing yet. */
  public RefusingArena(SharedMemoryArena arena) {
    this.arena = arena;
  }

  void refuse(boolean refuses) {
    refusing = refuses;
  }

  /** Refuses to wake whoever waits in it, and nothing else. */
  public void refuseToWake() {
    refusingToWake = true;
  }

  boolean isUnlinked() {
    return unlinked;
  }

  /** Returns which steps of its end a thread has asked for, refused ones too. */
  List<String> askedBy(Thread thread) {
    return steps.stream().filter(step -> step.asker().equals(thread)).map(Step::name).toList();
  }

  private void step(String what) {
    steps.add(new Step(Thread.currentThread(), what));
    if (refusing) {
      throw new IllegalStateException(what);
    }
  }

  /** What arrives in a worker refuses nothing. */
  private Object writeReplace() {
    return arena;
  }

  @Override
  public UUID arenaId() {
    return arena.arenaId();
  }

  @Override
  public ArenaWriter openWriter() {
    return arena.openWriter();
  }

  @Override
  public ArenaReader openReader() {
    return new Reader(arena.openReader());
  }

  @Override
  public void shutdown() {
    step("shutdown");
    arena.shutdown();
  }

  @Override
  public void wake() {
    if (refusingToWake) {
      throw new IllegalStateException("wake");
    }
    arena.wake();
  }

  @Override
  public void close() {
    step("close");
    arena.close();
  }

  @Override
  public void unlink() {
    step("unlink");
    arena.unlink();
    unlinked = true;
  }

  private final class Reader implements ArenaReader {
    private final ArenaReader reader;

    Reader(ArenaReader reader) {
      this.reader = reader;
    }

    @Override
    public void reset() {
      reader.reset();
    }

    @Override
    public void admit(UnitReceipt receipt) {
      reader.admit(receipt);
    }

    @Override
    public OpenUnit beginUnit(UnitReceipt receipt, ViewScope scope) {
      return reader.beginUnit(receipt, scope);
    }

    @Override
    public void discard(UnitReceipt receipt) {
      reader.discard(receipt);
    }

    @Override
    public boolean zeroCopy() {
      return reader.zeroCopy();
    }

    @Override
    public void close() {
      step("close reader");
      reader.close();
    }
  }
}
