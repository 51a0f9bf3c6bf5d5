package dev.holdfast.loader.internal.worker;

import dev.holdfast.loader.internal.channel.Channel;

/** What the context of a region's worker offers to our own code. */
public interface RegionInputs {

  /** Returns where the inputs come from. */
  Channel inputs();

  /** Returns the number of the current pass; on the main thread. */
  long pass();

  /** Throws what ends the pass when another command has come; on the main thread. */
  void checkPass();

  /** Returns whether the worker is told to end; on any thread. */
  boolean ended();
}
