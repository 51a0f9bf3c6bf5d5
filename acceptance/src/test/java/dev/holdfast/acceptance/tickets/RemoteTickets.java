package dev.holdfast.acceptance.tickets;

import dev.holdfast.arena.ArenaTicket;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.testkit.ChildJvm;
import org.junit.jupiter.api.Assertions;

/** The parent's side of {@link TicketChild}: a producer or consumer in a process of its own. */
final class RemoteTickets implements AutoCloseable {
  private final ChildJvm child;

  private RemoteTickets(ChildJvm child) {
    this.child = child;
  }

  /** Starts a process that has attached to a pool. */
  static RemoteTickets attach(SharedMemorySegmentPool pool, String... jvmArguments) {
    RemoteTickets remote =
        new RemoteTickets(
            ChildJvm.of(TicketChild.class)
                .jvmArgs("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto")
                .jvmArgs(jvmArguments)
                .start());
    remote.child.awaitLine("READY");
    remote.call("attach " + Texts.of(pool));
    return remote;
  }

  ChildJvm child() {
    return child;
  }

  void reserve(long stamp, long byteSize) {
    call("reserve " + stamp + " " + byteSize);
  }

  /** Seals an open reservation and has its ticket brought here by serialization. */
  ArenaTicket seal(int reservation) {
    return Texts.parse(ArenaTicket.class, call("seal " + reservation));
  }

  ArenaTicket sealNew(long stamp, long byteSize) {
    reserve(stamp, byteSize);
    return seal(0);
  }

  /** Sends a ticket by serialization and has it recovered and checked. */
  void recover(ArenaTicket ticket, long stamp, ViewScope scope) {
    call(recoverCommand(ticket, stamp, scope));
  }

  static String recoverCommand(ArenaTicket ticket, long stamp, ViewScope scope) {
    return "recover " + Texts.of(ticket) + " " + stamp + " " + scope;
  }

  void discard(ArenaTicket ticket) {
    call("discard " + Texts.of(ticket));
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

  String failingAnswer(Class<?> failure) {
    String answer = child.awaitLine("= ");
    Assertions.assertTrue(answer.startsWith("FAILED " + failure.getSimpleName()), answer);
    return answer;
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
