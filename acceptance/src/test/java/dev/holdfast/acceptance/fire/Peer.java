package dev.holdfast.acceptance.fire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.SerialText;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * A process on one side of something shared, which is attached, waits for a word to begin, and is
 * going to be killed: by itself at a point, or at any moment.
 *
 * @param child the process
 * @param point where it ends
 */
public record Peer(ChildJvm child, String point) implements AutoCloseable {
  /** The point of a process that is killed from outside. */
  public static final String ANY_MOMENT = "any moment";

  /** The property by which a JVM is told where to end. */
  private static final String FAULTS = "-Dholdfast.faults=";

  private static final int MOST_TURNS = 6;
  private static final String[] QUICK_TO_START = {"-Xmx48m", "-XX:+UseSerialGC", "-Xshare:auto"};

  /**
   * Returns arguments for a JVM that starts quickly and is going to end.
   *
   * @param point where it ends
   * @param turn the how manieth time it is there
   */
  public static List<String> jvmArguments(String point, int turn) {
    List<String> arguments = new ArrayList<>(List.of(QUICK_TO_START));
    if (!point.equals(ANY_MOMENT)) {
      arguments.add(FAULTS + point + "=kill@" + turn);
    }
    return arguments;
  }

  /**
   * Starts one.
   *
   * @param main its class
   * @param point where it ends
   * @param random gives the turn and the process's own seed
   * @param verb what it is to do
   * @param shared what it attaches to
   * @param more its further arguments
   */
  public static Peer start(
      Class<?> main,
      String point,
      RandomGenerator random,
      String verb,
      Object shared,
      String... more) {
    int turn = point.startsWith("WAITING") ? 1 : 1 + random.nextInt(MOST_TURNS);
    ChildJvm child =
        ChildJvm.of(main)
            .jvmArgs(jvmArguments(point, turn).toArray(String[]::new))
            .args(verb, SerialText.of(shared), String.valueOf(random.nextLong()))
            .args(more)
            .start();
    Peer peer = new Peer(child, point);
    try {
      child.awaitLine("ATTACHED");
    } catch (RuntimeException | Error e) {
      peer.close();
      throw e;
    }
    return peer;
  }

  /** Returns whether it is killed by itself. */
  public boolean endsItself() {
    return !point.equals(ANY_MOMENT);
  }

  /** Lets it begin and waits until it has its side. */
  public void go() {
    child.send("go");
    child.awaitLine("READY");
  }

  /** Kills it, unless it has done so itself, and checks that this was its end. */
  public void awaitDeath() {
    child.kill(ChildJvm.SIGKILL);
    assertEquals(ChildJvm.SIGNALLED + ChildJvm.SIGKILL, child.awaitExit());
    assertFalse(child.errorOutput().contains("Exception"), child::errorOutput);
  }

  /** Returns what it has said, when it has ended. */
  public List<String> restOfLines() {
    List<String> lines = new ArrayList<>();
    for (Optional<String> line = child.lineOrEnd(); line.isPresent(); line = child.lineOrEnd()) {
      lines.add(line.get());
    }
    return lines;
  }

  @Override
  public void close() {
    child.kill(ChildJvm.SIGKILL);
    var _ = child.awaitExit();
    child.close();
  }
}
