package dev.holdfast.acceptance.worker;

import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.SubprocessOptions;
import dev.holdfast.testkit.Parent;
import java.io.IOException;
import java.util.Map;

/** A parent of two workers, and of a process between them that is none of ours. */
final class TwoWorkersMain {
  private TwoWorkersMain() {}

  /**
   * Runs until it is killed.
   *
   * @param args a folder
   */
  public static void main(String[] args) throws IOException {
    SubprocessOptions options = Workers.options().build();
    try (SubprocessIterable<Map<String, Object>> first =
        Subprocess.iterate(Workers.stamped(1000), options)) {
      Parent.say("WORKER " + first.pid());
      Process bystander = new ProcessBuilder("sleep", "600").start();
      Parent.say("BYSTANDER " + bystander.pid());
      try (SubprocessIterable<Map<String, Object>> second =
          Subprocess.iterate(Busy.SLEEPS.at(1, 10, args[0]), options)) {
        Parent.say("WORKER " + second.pid());
        Workers.verify(0, first.iterator().next());
        Workers.verify(0, second.iterator().next());
        Parent.say("READY");
        throw new IllegalStateException(Parent.read());
      }
    }
  }
}
