package dev.holdfast.cli.demo;

import dev.holdfast.arena.Backing;
import java.nio.file.Path;
import java.util.List;

/**
 * What a demo does.
 *
 * @param folder the pictures, an existing folder
 * @param batch pictures in a batch, at least 1
 * @param transport how batches come here
 * @param segments batches that the arena holds, at least 1
 * @param backing where the arena's memory comes from
 * @param pin how the arena's memory is page-locked in this process
 * @param epochs passes over the pictures, at least 1
 * @param workers how many workers of a region decode; 0 for one worker that makes the batches too
 * @param workerJvmArgs further options of the worker's JVM
 */
public record DemoOptions(
    Path folder,
    int batch,
    Transport transport,
    int segments,
    Backing backing,
    Pin pin,
    int epochs,
    int workers,
    List<String> workerJvmArgs) {

  /** Returns the same with another number of segments. */
  DemoOptions withSegments(int newSegments) {
    return new DemoOptions(
        folder, batch, transport, newSegments, backing, pin, epochs, workers, workerJvmArgs);
  }

  /** How batches come to the process that computes. */
  public enum Transport {
    /** From a worker, through a segment pool. */
    POOL,
    /** From a worker, through a ring buffer, as recycled copies. */
    RING,
    /** From a worker, through its channel; there is no arena. */
    CHANNEL,
    /** From this process itself; there is no worker. */
    INLINE
  }

  /** How memory is page-locked. */
  public enum Pin {
    /** Not at all. */
    NONE,
    /** With the operating system. */
    MLOCK,
    /** With the driver of the device. */
    CUDA
  }
}
