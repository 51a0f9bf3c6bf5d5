package dev.holdfast.acceptance.arena;

import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.testkit.ChildJvm;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assertions;

/** The parent's side of {@link EndpointChild}: endpoints of an arena in a process of their own. */
final class RemoteEndpoint implements AutoCloseable {
  private final ChildJvm child;

  private RemoteEndpoint(ChildJvm child) {
    this.child = child;
  }

  /** Starts a process that has attached to an arena. */
  static RemoteEndpoint attach(SharedMemoryArena arena, String... jvmArguments) {
    RemoteEndpoint remote = start(jvmArguments);
    remote.call("attach " + Descriptions.text(arena));
    return remote;
  }

  /** Starts a process that has no arena yet. */
  static RemoteEndpoint start(String... jvmArguments) {
    ChildJvm child =
        ChildJvm.of(EndpointChild.class)
            .jvmArgs("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto")
            .jvmArgs(jvmArguments)
            .start();
    child.awaitLine("READY");
    return new RemoteEndpoint(child);
  }

  ChildJvm child() {
    return child;
  }

  /** Runs a command that must succeed. */
  String call(String command) {
    send(command);
    return answer();
  }

  /** Sends a command whose answer is read later, or never. */
  void send(String command) {
    child.send(command);
  }

  /** Waits for the answer of the oldest command without one. */
  String answer() {
    String answer = child.awaitLine("= ");
    Assertions.assertTrue(answer.startsWith("OK"), answer);
    return answer.substring(2).trim();
  }

  /** Runs a command that must fail. */
  String callFailing(String command, Class<?> failure) {
    send(command);
    return failingAnswer(failure);
  }

  /** Waits for the answer of a command that must fail. */
  String failingAnswer(Class<?> failure) {
    String answer = child.awaitLine("= ");
    Assertions.assertTrue(answer.startsWith("FAILED " + failure.getSimpleName()), answer);
    return answer;
  }

  List<Sent> write(int count, long size) {
    List<Sent> sent = new ArrayList<>();
    for (String text : call("write " + count + " " + size).split(" ", -1)) {
      sent.add(Sent.parse(text));
    }
    return sent;
  }

  void admitAndOpen(Sent sent, ViewScope scope) {
    call("admit " + sent.text());
    call("open " + sent.text() + " " + scope);
  }

  /** Asks the process to end, which must succeed. */
  void exit() {
    call("exit");
    child.awaitSuccess();
  }

  @Override
  public void close() {
    child.close();
  }
}
