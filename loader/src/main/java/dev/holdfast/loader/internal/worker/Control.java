package dev.holdfast.loader.internal.worker;

import dev.holdfast.arena.HoldfastInterruptedException;
import dev.holdfast.loader.internal.channel.ChannelMemory;
import dev.holdfast.loader.internal.channel.ChannelReceiver;

/**
 * What the parent wants. Commands are taken by the main thread; whether one is pending may be asked
 * by any thread.
 */
final class Control {
  private final ChannelMemory memory;
  private final ChannelReceiver commands;
  private volatile boolean takeAgain;

  Control(ChannelMemory memory) {
    this.memory = memory;
    this.commands = new ChannelReceiver(memory.commands());
  }

  /** Throws when the worker is to end. */
  void checkEnd() {
    if (memory.ended()) {
      throw new EndWorker();
    }
  }

  /** Throws when the worker is to end or has another command, which ends the pass. */
  void checkPass() {
    checkEnd();
    if (takeAgain || commands.ready()) {
      throw new LeavePass();
    }
  }

  /** Returns whether {@link #checkPass} would throw. For any thread. */
  boolean stopRequested() {
    return memory.ended() || takeAgain || !memory.commands().isEmpty();
  }

  /** Waits for the next command, whose content is then in {@link #last}. */
  int awaitCommand() {
    if (takeAgain) {
      takeAgain = false;
      return commands.kind();
    }
    while (true) {
      // user code may have interrupted this thread, which says nothing to us
      var _ = Thread.interrupted();
      try {
        if (commands.receive(Long.MAX_VALUE, this::checkEnd)) {
          return commands.kind();
        }
      } catch (HoldfastInterruptedException e) {
        // it waits again
      }
    }
  }

  /** Makes {@link #awaitCommand} return the last command once more. */
  void putBack() {
    takeAgain = true;
  }

  ChannelMemory memory() {
    return memory;
  }

  ChannelReceiver last() {
    return commands;
  }
}
