package dev.holdfast.cuda.internal;

import dev.holdfast.arena.internal.life.Quarantine;
import dev.holdfast.arena.internal.memory.MemoryMapping;
import dev.holdfast.cuda.DeviceException;
import java.util.List;

/** Copies of which nobody knows whether they have ended, with all that they use. */
final class UnprovedTransfer extends Quarantine.Retained {
  private final CudaStream stream;
  private final List<CopyInFlight> copies;
  private final String what;
  private volatile String why;
  private boolean ended; // guarded by this

  UnprovedTransfer(CudaStream stream, List<CopyInFlight> copies, Throwable cause) {
    this.stream = stream;
    this.copies = List.copyOf(copies);
    this.why = String.valueOf(cause.getMessage());
    long bytes = copies.stream().mapToLong(CopyInFlight::byteSize).sum();
    this.what =
        "%d copies of %d bytes with device %d"
            .formatted(copies.size(), bytes, stream.context().device());
    copies.forEach(copy -> copy.markUnproved(what));
  }

  @Override
  public String what() {
    return what;
  }

  @Override
  public String why() {
    return why;
  }

  @Override
  public synchronized boolean retry() {
    if (ended) {
      return true;
    }
    try {
      if (!stream.isIdle()) {
        why = "the stream is not idle";
        return false;
      }
    } catch (DeviceException e) {
      why = String.valueOf(e.getMessage());
      return false;
    }
    ended = true;
    for (CopyInFlight copy : copies) {
      copy.end();
      MemoryMapping staged = copy.staged();
      if (staged != null) {
        Staging.drop(staged);
      }
    }
    stream.destroy();
    return true;
  }
}
