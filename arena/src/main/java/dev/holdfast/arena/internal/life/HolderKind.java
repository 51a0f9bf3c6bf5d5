package dev.holdfast.arena.internal.life;

/** What keeps a unit; the code is stored in the shared word {@code holding}. */
public enum HolderKind {
  /** Nothing does. */
  NONE(0, "nobody"),
  /** It has arrived and is not opened. */
  PARCEL(1, "unopened parcel"),
  /** It is being restored. */
  RESTORE(2, "restore in progress"),
  /** Views that only the garbage collector can end. */
  COLLECTED_VIEWS(3, "collected views"),
  /** A lease of one thread. */
  CONFINED_LEASE(4, "confined lease"),
  /** A lease of any thread. */
  SHARED_LEASE(5, "shared lease"),
  /** A SHARED lease that its user closed and whose views have not ended. */
  CLOSING_LEASE(6, "closing lease"),
  /** A hold is left, and no lease. */
  HOLD(7, "hold"),
  /** A reservation that is being filled. */
  RESERVATION(8, "reservation"),
  /** A sealed reservation whose ticket was neither recovered nor discarded. */
  TICKET(9, "ticket");

  private static final HolderKind[] KINDS = values();
  private static final int KIND_BITS = 4;

  private final int code;
  private final String text;

  HolderKind(int code, String text) {
    this.code = code;
    this.text = text;
  }

  /** Returns the word for this kind since a time. */
  public long encode(long bootMillis) {
    return bootMillis << KIND_BITS | code;
  }

  /** Returns the kind in a word; nonsense reads as {@link #NONE}. */
  public static HolderKind decode(long word) {
    int code = (int) (word & ((1 << KIND_BITS) - 1));
    for (HolderKind kind : KINDS) {
      if (kind.code == code) {
        return kind;
      }
    }
    return NONE;
  }

  /** Returns the time in a word, in milliseconds since boot. */
  public static long since(long word) {
    return word >>> KIND_BITS;
  }

  /** Returns the kind as errors name it. */
  public String text() {
    return text;
  }
}
