package dev.holdfast.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Stops, breaks and kills a child JVM at points named in its code. Build the plan, start the child
 * with {@link #jvmArgument}, then wait for a point and let it go on. Used by one thread.
 */
public final class PausePoints {
  private final Path folder;
  private final List<String> plan = new ArrayList<>();

  private PausePoints(Path folder) {
    this.folder = folder;
  }

  /**
   * Starts an empty plan.
   *
   * @param folder an existing folder for the signs that both processes leave there, without commas
   *     or brackets in its name
   * @return the plan
   */
  public static PausePoints in(Path folder) {
    return new PausePoints(folder);
  }

  /**
   * Adds a pause.
   *
   * @param point the point's name
   * @param turn the how manieth time it is reached, from 1
   * @return this
   */
  public PausePoints pause(String point, int turn) {
    plan.add("%s=pause(%s)@%d".formatted(point, folder, turn));
    return this;
  }

  /**
   * Adds any action.
   *
   * @param point the point's name
   * @param action {@code kill}, {@code throw}, {@code exhaust}, {@code overflow}, {@code fire},
   *     {@code delay(MILLIS)} or {@code halt(STATUS)}
   * @param turns the how manieth times it is reached, from 1
   * @return this
   */
  public PausePoints act(String point, String action, int... turns) {
    String at = IntStream.of(turns).mapToObj(String::valueOf).collect(Collectors.joining("/"));
    plan.add("%s=%s@%s".formatted(point, action, at));
    return this;
  }

  /**
   * Adds a kill by {@link #order}: of all processes with this plan the first that then comes to the
   * point ends.
   *
   * @param point the point's name
   * @return this
   */
  public PausePoints killOnOrder(String point) {
    plan.add("%s=kill(%s)@*".formatted(point, folder));
    return this;
  }

  /**
   * Orders one kill at a point.
   *
   * @param point the point's name
   */
  public void order(String point) {
    create(point + ".kill");
  }

  /**
   * Returns whether an ordered kill is still to come.
   *
   * @param point the point's name
   * @return false when it has happened
   */
  public boolean isOrdered(String point) {
    return Files.exists(folder.resolve(point + ".kill"));
  }

  /**
   * Returns the plan as an argument of the child's JVM.
   *
   * @return a definition of a system property
   */
  public String jvmArgument() {
    return "-Dholdfast.faults=" + String.join(",", plan);
  }

  /**
   * Waits until a process has stopped at a point.
   *
   * @param point the point's name
   * @return the process's id
   */
  public long awaitReached(String point) {
    Path sign = folder.resolve(point + ".reached");
    Deadlines.assertEventually("the point " + point + " is reached", () -> Files.exists(sign));
    try {
      return Long.parseLong(Files.readString(sign).trim());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Lets a process that has stopped go on.
   *
   * @param point the point's name
   */
  public void release(String point) {
    create(point + ".go");
  }

  private void create(String sign) {
    try {
      Files.createFile(folder.resolve(sign));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Removes the signs of a point, so that another process can stop there.
   *
   * @param point the point's name
   */
  public void forget(String point) {
    try {
      Files.deleteIfExists(folder.resolve(point + ".reached"));
      Files.deleteIfExists(folder.resolve(point + ".go"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
