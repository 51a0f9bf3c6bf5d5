package dev.holdfast.loader.internal.worker;

import dev.holdfast.arena.internal.fault.FaultPoint;
import dev.holdfast.arena.internal.memory.SharedFile;
import dev.holdfast.arena.internal.os.Descriptors;
import dev.holdfast.arena.internal.os.Processes;
import dev.holdfast.loader.internal.channel.ChannelMemory;
import java.io.IOException;

/** The main class of a worker. Its standard input is the channel's memory. */
public final class WorkerMain {
  private static final String STANDARD_INPUT = "/proc/self/fd/0";

  private WorkerMain() {}

  /**
   * Serves the parent until it says to end.
   *
   * @param arguments none
   */
  public static void main(String[] arguments) throws IOException {
    Processes.setParentDeathSignal(Processes.SIGKILL);
    if (FaultPoint.ENABLED) {
      FaultPoint.WORKER_STARTING.reach();
    }
    ChannelMemory memory = takeStandardInput();
    ParentWatch.start(memory.parent());
    // the user's threads may be no daemons: they must not keep the process
    System.exit(new WorkerLoop(memory).run());
  }

  /**
   * Maps standard input, which the JDK opened read-only, by opening it once more; then user code
   * finds the end of file there.
   */
  private static ChannelMemory takeStandardInput() throws IOException {
    ChannelMemory memory;
    try (SharedFile file = SharedFile.attachPath(STANDARD_INPUT, 0)) {
      memory = ChannelMemory.attach(file);
    }
    int empty = Descriptors.open("/dev/null", Descriptors.O_RDONLY | Descriptors.O_CLOEXEC, 0);
    Descriptors.dup2(empty, 0);
    Descriptors.close(empty);
    return memory;
  }
}
