package dev.holdfast.arena.internal.inspect;

import dev.holdfast.arena.Side;
import dev.holdfast.arena.internal.inspect.ArenaView.HolderGroup;
import dev.holdfast.arena.internal.inspect.ArenaView.OldestUnit;
import dev.holdfast.arena.internal.life.BootClock;
import dev.holdfast.arena.internal.life.HolderKind;
import dev.holdfast.arena.internal.memory.ArenaGeometry;
import dev.holdfast.arena.internal.memory.ArenaLayout;
import dev.holdfast.arena.internal.memory.ArenaWords;
import dev.holdfast.arena.internal.memory.Claim;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Makes an {@link ArenaView} of words that were copied. */
final class WordReader {
  private static final String NOBODY = "not received or released behind a held one";
  private static final long UNKNOWN = -1;

  private final ArenaGeometry geometry;
  private final ArenaWords words;

  WordReader(ArenaGeometry geometry, ArenaWords words) {
    this.geometry = geometry;
    this.words = words;
  }

  /** Returns whether the counters fit each other. */
  boolean possible() {
    long published = words.publishedAcquire();
    long reclaimed = words.reclaimedAcquire();
    long head = words.headAcquire();
    long tail = words.tailVolatile();
    boolean counts = reclaimed >= 0 && reclaimed <= published;
    return isRing()
        ? counts && tail >= 0 && tail <= head && head - tail <= geometry.unitBytes()
        : counts && published - reclaimed <= geometry.segments();
  }

  ArenaView view(boolean withHolders, @Nullable String doubt) {
    Claim writer = ArenaView.claim(words, Side.WRITER);
    Claim reader = ArenaView.claim(words, Side.READER);
    long published = words.publishedAcquire();
    long reclaimed = words.reclaimedAcquire();
    List<Held> held =
        !withHolders
            ? List.of()
            : isRing() ? ofRing(reclaimed, published) : ofPool(reclaimed, published);
    return new ArenaView(
        geometry,
        published,
        reclaimed,
        words.headAcquire(),
        words.tailVolatile(),
        words.generationAcquire(),
        words.writerWaitingVolatile(),
        isSet(ArenaLayout.OWNER_SHUTDOWN_OFFSET),
        isSet(ArenaLayout.PEER_SHUTDOWN_OFFSET),
        writer,
        reader,
        groups(held),
        held.isEmpty() ? null : oldest(held.getFirst()),
        doubt);
  }

  private boolean isSet(long word) {
    return words.shared().getIntVolatile(word) != 0;
  }

  private record Held(long unit, long count, String kind, long ageMillis) {}

  /** A ring has no words for it: a unit is held for as long as a copy takes. */
  private static List<Held> ofRing(long reclaimed, long published) {
    return reclaimed == published
        ? List.of()
        : List.of(new Held(reclaimed, published - reclaimed, "not copied out", UNKNOWN));
  }

  /** Numbers of tickets are complete in any order, so that units behind {@code published} count. */
  private List<Held> ofPool(long reclaimed, long published) {
    List<Held> held = new ArrayList<>();
    for (long unit = reclaimed; unit < reclaimed + geometry.segments(); unit++) {
      long segment = unit % geometry.segments();
      boolean sealed = words.sealedAcquire(segment) == unit + 1;
      if (unit < published || sealed) {
        held.add(heldBy(unit, segment, sealed));
      }
    }
    return held;
  }

  private Held heldBy(long unit, long segment, boolean sealed) {
    long word = words.holdingAcquire(segment);
    HolderKind kind = HolderKind.decode(word);
    if (kind != HolderKind.NONE) {
      return new Held(unit, 1, kind.text(), age(HolderKind.since(word)));
    }
    boolean waits = sealed && words.takenAcquire(segment) != unit + 1;
    return waits
        ? new Held(unit, 1, HolderKind.TICKET.text(), age(words.sealedSinceAcquire(segment)))
        : new Held(unit, 1, NOBODY, UNKNOWN);
  }

  private static long age(long sinceMillis) {
    long age = BootClock.millis() - sinceMillis;
    return sinceMillis <= 0 || age < 0 ? UNKNOWN : age;
  }

  private static List<HolderGroup> groups(List<Held> held) {
    Map<String, HolderGroup> groups = new LinkedHashMap<>();
    for (Held one : held) {
      groups.merge(
          one.kind,
          new HolderGroup(one.kind, one.count, one.ageMillis),
          (a, b) ->
              new HolderGroup(
                  a.kind(), a.count() + b.count(), Math.max(a.oldestMillis(), b.oldestMillis())));
    }
    return List.copyOf(groups.values());
  }

  private static OldestUnit oldest(Held first) {
    return new OldestUnit(first.unit, first.kind, first.ageMillis);
  }

  private boolean isRing() {
    return geometry.kind() == ArenaLayout.KIND_RING;
  }
}
