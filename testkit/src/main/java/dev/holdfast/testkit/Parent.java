package dev.holdfast.testkit;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Function;

/**
 * The test that started this process, seen from the child. Lines go to it on standard output and
 * come from it on standard input. When it is gone the child ends, so that a killed test leaves
 * nobody behind.
 */
public final class Parent {
  /** The status of a child whose parent went away or does not hear it. */
  public static final int ORPHANED = 97;

  /** What {@link #serve} says first, and how its answers begin. */
  static final String SERVING = "READY";

  static final String ANSWER = "= ";
  static final String DONE = "OK";
  static final String FAILED = "FAILED ";
  static final String EXIT = "exit";

  private static final BlockingQueue<String> LINES = new LinkedBlockingQueue<>();

  static {
    Thread.ofPlatform().daemon().name("test-parent").start(Parent::listen);
  }

  private Parent() {}

  /**
   * Sends a line.
   *
   * @param line without a line end
   */
  public static void say(String line) {
    System.out.println(line);
    if (System.out.checkError()) {
      Runtime.getRuntime().halt(ORPHANED); // whoever goes on unheard proves nothing
    }
  }

  /**
   * Waits for the next line.
   *
   * @return the line
   */
  public static String read() {
    try {
      return LINES.take();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for the parent", e);
    }
  }

  /**
   * Does what a {@link CommandedChild} is told until it is told to end. What a command throws is
   * printed with its stack and answered with its simple name and message.
   *
   * @param run does what the words of a command say, and returns the answer
   */
  public static void serve(Function<String[], String> run) {
    say(SERVING);
    for (String line = read(); !line.equals(EXIT); line = read()) {
      say(ANSWER + answer(run, line.split(" ", -1)));
    }
    say(ANSWER + DONE);
  }

  private static String answer(Function<String[], String> run, String[] words) {
    try {
      return DONE + " " + run.apply(words);
    } catch (RuntimeException | Error e) {
      e.printStackTrace();
      return FAILED + e.getClass().getSimpleName() + " " + e.getMessage();
    }
  }

  private static void listen() {
    try (BufferedReader input =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String line = input.readLine(); line != null; line = input.readLine()) {
        LINES.add(line);
      }
    } catch (IOException e) {
      System.err.println("standard input ended: " + e);
    }
    Runtime.getRuntime().halt(ORPHANED);
  }
}
