package dev.holdfast.acceptance.arena;

import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.testkit.CommandedChild;
import dev.holdfast.testkit.SerialText;
import java.util.ArrayList;
import java.util.List;

/** The parent's side of {@link EndpointChild}: endpoints of an arena in a process of their own. */
public final class RemoteEndpoint extends CommandedChild {
  private RemoteEndpoint(String... jvmArguments) {
    super(EndpointChild.class, jvmArguments);
  }

  /** Starts a process that has attached to an arena. */
  public static RemoteEndpoint attach(SharedMemoryArena arena, String... jvmArguments) {
    RemoteEndpoint remote = start(jvmArguments);
    remote.call("attach " + SerialText.of(arena));
    return remote;
  }

  /** Starts a process that has no arena yet. */
  static RemoteEndpoint start(String... jvmArguments) {
    return new RemoteEndpoint(jvmArguments);
  }

  /** Writes and commits units of one binary. */
  public List<Sent> write(int count, long size) {
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
}
