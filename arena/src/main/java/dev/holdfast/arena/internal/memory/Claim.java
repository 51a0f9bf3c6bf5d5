package dev.holdfast.arena.internal.memory;

import dev.holdfast.arena.internal.os.ProcessIdentity;

/**
 * Who holds an endpoint, in one word so that it can be claimed by compare-and-set: pid in 22 bits
 * (the most that Linux gives, PID_MAX_LIMIT), start time in 40 bits of clock ticks, use in 2 bits.
 * 0 is free.
 *
 * @param holder the process
 * @param use what for
 */
public record Claim(ProcessIdentity holder, Use use) {
  /** The word of an endpoint that nobody holds. */
  public static final long FREE = 0;

  private static final int START_BITS = 40;
  private static final int USE_BITS = 2;
  private static final long START_MASK = (1L << START_BITS) - 1;
  private static final long USE_MASK = (1L << USE_BITS) - 1;

  /** What an arena is used for; both sides must agree. */
  public enum Use {
    /** Units in order, one writer thread. */
    STREAMS(1),
    /** Reservations and tickets. */
    TICKETS(2);

    private final int code;

    Use(int code) {
      this.code = code;
    }
  }

  /** Returns the claim of this process. */
  public static Claim own(Use use) {
    return new Claim(ProcessIdentity.current(), use);
  }

  /** Returns the word. */
  public long encode() {
    return holder.pid() << (START_BITS + USE_BITS)
        | (holder.startTicks() & START_MASK) << USE_BITS
        | use.code;
  }

  /** Reads a word that is not {@link #FREE}; nonsense in the use bits counts as streams. */
  public static Claim decode(long word) {
    ProcessIdentity holder =
        new ProcessIdentity(word >>> (START_BITS + USE_BITS), word >>> USE_BITS & START_MASK);
    return new Claim(holder, (word & USE_MASK) == Use.TICKETS.code ? Use.TICKETS : Use.STREAMS);
  }
}
