package dev.holdfast.arena;

/** The lifetime that all views of one unit share. */
public enum ViewScope {
  /**
   * Views live until the garbage collector finds the last alias gone. For plain loops that close
   * nothing; storage comes back only after a collection.
   */
  COLLECTED,
  /**
   * Views belong to the thread that opened the unit and end when it closes the lease. The default
   * of leases.
   */
  CONFINED,
  /**
   * Views may be read by any thread and end some time after any thread closed the lease. Ending
   * costs a handshake with every thread of the process; meant for few, large, long-lived units.
   */
  SHARED
}
