package dev.holdfast.loader.internal.channel;

import dev.holdfast.arena.ArenaCorruptedException;
import dev.holdfast.arena.Backing;
import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.internal.memory.MemoryMapping;
import dev.holdfast.arena.internal.memory.SharedFile;
import dev.holdfast.arena.internal.memory.SharedWords;
import dev.holdfast.arena.internal.os.ProcessIdentity;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The shared memory of a worker's channels: commands to the worker, items back, and in a region its
 * inputs. The parent makes it and hands its descriptor to the worker as standard input; the worker
 * attaches to it. Touching the channels is only for who keeps this open or retains it.
 */
public final class ChannelMemory implements Presence {
  private static final long COMMAND_CAPACITY = 64 * 1024;
  private static final AtomicLong SERIAL = new AtomicLong();

  private final MemoryMapping mapping;
  private final SharedWords words;
  private final Channel commands;
  private final Channel items;
  private final @Nullable Channel inputs;

  private ChannelMemory(
      MemoryMapping mapping, long commandCapacity, long itemCapacity, long inputCapacity) {
    this.mapping = mapping;
    this.words = mapping.words();
    long itemRing = ChannelLayout.RINGS_OFFSET + commandCapacity;
    this.commands =
        new Channel(
            "commands",
            words,
            ChannelLayout.COMMAND_WORDS_OFFSET,
            mapping.segment().asSlice(ChannelLayout.RINGS_OFFSET, commandCapacity),
            this);
    this.items =
        new Channel(
            "items",
            words,
            ChannelLayout.ITEM_WORDS_OFFSET,
            mapping.segment().asSlice(itemRing, itemCapacity),
            this);
    this.inputs =
        inputCapacity == 0
            ? null
            : new Channel(
                "inputs",
                words,
                ChannelLayout.INPUT_WORDS_OFFSET,
                mapping.segment().asSlice(itemRing + itemCapacity, inputCapacity),
                this);
  }

  /**
   * Reserves the file behind a new pair.
   *
   * @param itemCapacity bytes of the item ring, a multiple of 8
   * @param inputCapacity bytes of the input ring, a multiple of 8; 0 for none
   */
  public static SharedFile reserve(long itemCapacity, long inputCapacity) {
    String label =
        "holdfast-" + ProcessIdentity.current().pid() + "-channel-" + SERIAL.incrementAndGet();
    return SharedFile.create(
        Backing.standard(),
        label,
        ChannelLayout.byteSize(COMMAND_CAPACITY, itemCapacity, inputCapacity));
  }

  /**
   * Maps a fresh file and writes its header.
   *
   * @param file what {@link #reserve} returned
   * @param itemCapacity as given there
   * @param itemLimit how many items may be unread
   * @param inputCapacity as given there
   */
  public static ChannelMemory create(
      SharedFile file, long itemCapacity, long itemLimit, long inputCapacity) {
    MemoryMapping mapping = file.map();
    SharedWords words = mapping.words();
    ProcessIdentity parent = ProcessIdentity.current();
    words.setRelease(ChannelLayout.MAGIC_OFFSET, ChannelLayout.MAGIC);
    words.setRelease(ChannelLayout.COMMAND_CAPACITY_OFFSET, COMMAND_CAPACITY);
    words.setRelease(ChannelLayout.ITEM_CAPACITY_OFFSET, itemCapacity);
    words.setRelease(ChannelLayout.PARENT_PID_OFFSET, parent.pid());
    words.setRelease(ChannelLayout.PARENT_START_OFFSET, parent.startTicks());
    words.setRelease(ChannelLayout.ITEM_LIMIT_OFFSET, itemLimit);
    words.setRelease(ChannelLayout.INPUT_CAPACITY_OFFSET, inputCapacity);
    words.setIntVolatile(ChannelLayout.VERSION_OFFSET, ChannelLayout.VERSION);
    return new ChannelMemory(mapping, COMMAND_CAPACITY, itemCapacity, inputCapacity);
  }

  /**
   * Maps what another process made.
   *
   * @param file its file
   * @throws ArenaCorruptedException when the file is no channel of this version
   */
  public static ChannelMemory attach(SharedFile file) {
    if (file.byteSize() < ChannelLayout.RINGS_OFFSET) {
      throw notAChannel("fileBytes", file.byteSize());
    }
    MemoryMapping mapping = file.map();
    boolean attached = false;
    try {
      ChannelMemory memory = attach(mapping);
      attached = true;
      return memory;
    } finally {
      if (!attached) {
        var _ = mapping.releaseNow();
      }
    }
  }

  private static ChannelMemory attach(MemoryMapping mapping) {
    SharedWords words = mapping.words();
    int version = words.getIntVolatile(ChannelLayout.VERSION_OFFSET);
    if (words.getAcquire(ChannelLayout.MAGIC_OFFSET) != ChannelLayout.MAGIC
        || version != ChannelLayout.VERSION) {
      throw notAChannel("version", version);
    }
    long commandCapacity = words.getAcquire(ChannelLayout.COMMAND_CAPACITY_OFFSET);
    long itemCapacity = words.getAcquire(ChannelLayout.ITEM_CAPACITY_OFFSET);
    long inputCapacity = words.getAcquire(ChannelLayout.INPUT_CAPACITY_OFFSET);
    requireCapacity("commandCapacity", commandCapacity, mapping);
    requireCapacity("itemCapacity", itemCapacity, mapping);
    if (inputCapacity != 0) {
      requireCapacity("inputCapacity", inputCapacity, mapping);
    }
    long needed = ChannelLayout.byteSize(commandCapacity, itemCapacity, inputCapacity);
    if (needed != mapping.byteSize()) {
      throw notAChannel("bytesOfItsRings", needed);
    }
    return new ChannelMemory(mapping, commandCapacity, itemCapacity, inputCapacity);
  }

  private static void requireCapacity(String name, long value, MemoryMapping mapping) {
    if (!Channel.canHave(value) || value > mapping.byteSize()) {
      throw notAChannel(name, value);
    }
  }

  /** Returns the direction from parent to worker. */
  public Channel commands() {
    return commands;
  }

  /** Returns the direction from worker to parent. */
  public Channel items() {
    return items;
  }

  /** Returns the direction of a region's inputs, from parent to worker. */
  public Channel inputs() {
    Channel there = inputs;
    if (there == null) {
      throw new IllegalStateException("this worker has no inputs");
    }
    return there;
  }

  /** Makes the worker look at its conditions where it waits for inputs. Only in the parent. */
  public void nudgeInputs() {
    if (inputs != null) {
      inputs.nudgeConsumer();
    }
  }

  /** Makes waiters of the own process look at their conditions. */
  public void wakeOwnWaiters() {
    items.wakeOwnWaiters();
    commands.wakeOwnWaiters();
    if (inputs != null) {
      inputs.wakeOwnWaiters();
    }
  }

  /** Returns how many items may be unread. */
  public long itemLimit() {
    return Math.max(1, words.getAcquire(ChannelLayout.ITEM_LIMIT_OFFSET));
  }

  /** Returns the process that made this memory. */
  public ProcessIdentity parent() {
    return new ProcessIdentity(
        words.getAcquire(ChannelLayout.PARENT_PID_OFFSET),
        words.getAcquire(ChannelLayout.PARENT_START_OFFSET));
  }

  /** Tells the worker to end and makes it look. Only in the parent. */
  public void endWorker() {
    words.setIntVolatile(ChannelLayout.ENDED_OFFSET, 1);
    commands.nudgeConsumer();
    items.nudgeProducer();
    nudgeInputs();
  }

  /** Returns whether the worker is told to end. */
  public boolean ended() {
    return words.getIntVolatile(ChannelLayout.ENDED_OFFSET) != 0;
  }

  @Override
  public boolean retain() {
    return mapping.retain();
  }

  @Override
  public void release() {
    mapping.release();
  }

  /** Gives up this side's use; the last user unmaps. */
  public boolean close() {
    return mapping.releaseNow();
  }

  private static ArenaCorruptedException notAChannel(String factName, long value) {
    return new ArenaCorruptedException(
        FailureDetail.of("standard input is no channel of this version")
            .with(factName, value)
            .with("versionExpected", ChannelLayout.VERSION)
            .advise("workers are started by Subprocess.iterate only"));
  }
}
