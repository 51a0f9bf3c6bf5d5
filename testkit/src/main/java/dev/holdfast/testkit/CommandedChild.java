package dev.holdfast.testkit;

import org.junit.jupiter.api.Assertions;

/**
 * A child that does what it is told, one command a line, and answers each; its main method calls
 * {@link Parent#serve}. For one thread.
 */
public abstract class CommandedChild implements AutoCloseable {
  private final ChildJvm child;

  /**
   * Starts a child and waits until it serves.
   *
   * @param main the child's class
   * @param jvmArguments for its JVM, beside those that make it start soon
   */
  protected CommandedChild(Class<?> main, String... jvmArguments) {
    child =
        ChildJvm.of(main).jvmArgs("-XX:+UseSerialGC", "-Xshare:auto").jvmArgs(jvmArguments).start();
    child.awaitLine(Parent.SERVING);
  }

  /**
   * Returns the process.
   *
   * @return the process
   */
  public final ChildJvm child() {
    return child;
  }

  /**
   * Runs a command that must succeed.
   *
   * @param command words with spaces between them
   * @return the answer
   */
  public final String call(String command) {
    send(command);
    return answer();
  }

  /**
   * Sends a command whose answer is read later, or never.
   *
   * @param command words with spaces between them
   */
  public final void send(String command) {
    child.send(command);
  }

  /**
   * Waits for the answer of the oldest command without one.
   *
   * @return the answer
   */
  public final String answer() {
    String answer = child.awaitLine(Parent.ANSWER);
    Assertions.assertTrue(answer.startsWith(Parent.DONE), answer);
    return answer.substring(Parent.DONE.length()).trim();
  }

  /**
   * Runs a command that must fail.
   *
   * @param command words with spaces between them
   * @param failure the class of what it throws
   * @return the answer
   */
  public final String callFailing(String command, Class<?> failure) {
    send(command);
    return failingAnswer(failure);
  }

  /**
   * Waits for the answer of a command that must fail.
   *
   * @param failure the class of what it throws
   * @return the answer
   */
  public final String failingAnswer(Class<?> failure) {
    String answer = child.awaitLine(Parent.ANSWER);
    Assertions.assertTrue(answer.startsWith(Parent.FAILED + failure.getSimpleName()), answer);
    return answer;
  }

  /** Asks the process to end, which must succeed. */
  public final void exit() {
    call(Parent.EXIT);
    child.awaitSuccess();
  }

  @Override
  public final void close() {
    child.close();
  }
}
