package dev.holdfast.testkit;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * The test that started this process, seen from the child. Lines go to it on standard output and
 * come from it on standard input. When it is gone the child ends, so that a killed test leaves
 * nobody behind.
 */
public final class Parent {
  /** The status of a child whose parent went away. */
  public static final int ORPHANED = 97;

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
    System.out.flush();
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
