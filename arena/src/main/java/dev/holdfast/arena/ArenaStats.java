package dev.holdfast.arena;

/**
 * Figures of one arena as one process sees them, taken at one moment without stopping anybody, so
 * that they may differ from each other by what happened meanwhile.
 *
 * @param published units committed over the arena's life
 * @param reclaimed units whose storage was given back, in order
 * @param held admitted units of this process whose storage is not given back yet
 * @param waits how often this process's writer waited
 * @param waitNanos how long it waited altogether, in nanoseconds
 * @param oldestUnit the oldest unit that is not given back, or -1
 * @param oldestHolder who keeps it, as errors name it, or an empty string
 * @param gcRequests collections asked for on this arena's behalf
 * @param closingLeases SHARED leases closed by their users whose views have not ended yet
 * @param heapCopies units delivered as heap copies because collections were refused or too dear
 * @param leakedLeases leases found dropped without a close
 * @param freshBytes bytes of copy-out buffers taken from the operating system
 * @param recycledBytes bytes of copy-out buffers that were used again
 * @param retainedBytes bytes of idle copy-out buffers kept for use
 * @param quarantined things that a close could not finish, in this process
 */
public record ArenaStats(
    long published,
    long reclaimed,
    long held,
    long waits,
    long waitNanos,
    long oldestUnit,
    String oldestHolder,
    long gcRequests,
    long closingLeases,
    long heapCopies,
    long leakedLeases,
    long freshBytes,
    long recycledBytes,
    long retainedBytes,
    long quarantined) {

  /** All zero, for arenas that count nothing. */
  public static final ArenaStats EMPTY =
      new ArenaStats(0, 0, 0, 0, 0, -1, "", 0, 0, 0, 0, 0, 0, 0, 0);
}
