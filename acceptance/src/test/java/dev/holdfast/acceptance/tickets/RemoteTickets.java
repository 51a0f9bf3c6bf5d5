package dev.holdfast.acceptance.tickets;

import dev.holdfast.arena.ArenaTicket;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.testkit.CommandedChild;
import dev.holdfast.testkit.SerialText;

/** The parent's side of {@link TicketChild}: a producer or consumer in a process of its own. */
final class RemoteTickets extends CommandedChild {
  private RemoteTickets(String... jvmArguments) {
    super(TicketChild.class, jvmArguments);
  }

  /** Starts a process that has attached to a pool. */
  static RemoteTickets attach(SharedMemorySegmentPool pool, String... jvmArguments) {
    RemoteTickets remote = new RemoteTickets(jvmArguments);
    remote.call("attach " + SerialText.of(pool));
    return remote;
  }

  void reserve(long stamp, long byteSize) {
    call("reserve " + stamp + " " + byteSize);
  }

  /** Seals an open reservation and has its ticket brought here by serialization. */
  ArenaTicket seal(int reservation) {
    return SerialText.parse(ArenaTicket.class, call("seal " + reservation));
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
    return "recover " + SerialText.of(ticket) + " " + stamp + " " + scope;
  }

  void discard(ArenaTicket ticket) {
    call("discard " + SerialText.of(ticket));
  }
}
