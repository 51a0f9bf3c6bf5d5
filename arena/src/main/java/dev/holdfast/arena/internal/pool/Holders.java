package dev.holdfast.arena.internal.pool;

import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.internal.life.BootClock;
import dev.holdfast.arena.internal.life.HolderKind;
import dev.holdfast.arena.internal.memory.ArenaWords;
import java.util.EnumMap;
import java.util.Map;

/** Says who holds the segments of a pool, from the words that the reader keeps up to date. */
final class Holders {
  private Holders() {}

  static FailureDetail describe(ArenaWords words, long segments, FailureDetail detail) {
    long published = words.publishedAcquire();
    long reclaimed = words.checkedReclaimed(words.reclaimedAcquire(), published, segments);
    Map<HolderKind, Integer> counts = new EnumMap<>(HolderKind.class);
    for (long unit = reclaimed; unit < published; unit++) {
      counts.merge(HolderKind.decode(words.holdingAcquire(unit % segments)), 1, Integer::sum);
    }
    StringBuilder kinds = new StringBuilder();
    counts.forEach(
        (kind, count) ->
            kinds
                .append(kinds.isEmpty() ? "" : ", ")
                .append(count)
                .append(' ')
                .append(
                    kind == HolderKind.NONE
                        ? "not received or released behind a held one"
                        : kind.text()));
    FailureDetail more =
        detail.with("held", published - reclaimed).with("holders", "[" + kinds + "]");
    if (reclaimed < published) {
      long word = words.holdingAcquire(reclaimed % segments);
      more =
          more.with("oldestUnit", reclaimed)
              .with("oldestHolder", HolderKind.decode(word).text())
              .with("oldestAgeMillis", word == 0 ? 0 : BootClock.millis() - HolderKind.since(word));
    }
    return more;
  }
}
