package dev.holdfast.arena.internal.pool;

import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.internal.life.BootClock;
import dev.holdfast.arena.internal.life.HolderKind;
import dev.holdfast.arena.internal.memory.ArenaWords;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.LongFunction;

/** Says who holds the segments of a pool. */
final class Holders {
  private Holders() {}

  /**
   * Who holds a unit.
   *
   * @param kind of holder
   * @param sinceMillis milliseconds since boot, 0 when nobody knows
   */
  record Holder(HolderKind kind, long sinceMillis) {
    static final Holder NOBODY = new Holder(HolderKind.NONE, 0);

    /** Reads a {@code holding} word. */
    static Holder of(long word) {
      return new Holder(HolderKind.decode(word), HolderKind.since(word));
    }

    private long ageMillis() {
      return sinceMillis == 0 ? 0 : BootClock.millis() - sinceMillis;
    }
  }

  /** Describes the holders of a stream, from the words that the reader keeps up to date. */
  static FailureDetail describe(ArenaWords words, long segments, FailureDetail detail) {
    long published = words.publishedAcquire();
    long reclaimed = words.checkedReclaimed(words.reclaimedAcquire(), published, segments);
    return describe(
        reclaimed,
        published,
        unit -> Holder.of(words.holdingAcquire(unit % segments)),
        "not received or released behind a held one",
        detail);
  }

  /**
   * Describes the holders of units.
   *
   * @param first the oldest unit that is not reclaimed
   * @param end the number behind the newest
   * @param holderOf who holds a unit
   * @param nobody how a unit without a holder is called
   * @param detail what is described so far
   */
  static FailureDetail describe(
      long first, long end, LongFunction<Holder> holderOf, String nobody, FailureDetail detail) {
    Map<HolderKind, Integer> counts = new EnumMap<>(HolderKind.class);
    for (long unit = first; unit < end; unit++) {
      counts.merge(holderOf.apply(unit).kind(), 1, Integer::sum);
    }
    StringBuilder kinds = new StringBuilder();
    counts.forEach(
        (kind, count) ->
            kinds
                .append(kinds.isEmpty() ? "" : ", ")
                .append(count)
                .append(' ')
                .append(kind == HolderKind.NONE ? nobody : kind.text()));
    FailureDetail more = detail.with("held", end - first).with("holders", "[" + kinds + "]");
    if (first < end) {
      Holder oldest = holderOf.apply(first);
      more =
          more.with("oldestUnit", first)
              .with("oldestHolder", oldest.kind().text())
              .with("oldestAgeMillis", oldest.ageMillis());
    }
    return more;
  }
}
