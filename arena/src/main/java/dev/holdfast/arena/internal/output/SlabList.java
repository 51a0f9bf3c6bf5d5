package dev.holdfast.arena.internal.output;

import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A doubly linked list through one pair of links in each slab, so that no change allocates. */
final class SlabList {
  /** Slabs of one size class that have an idle piece. */
  static final int WITH_IDLE_PIECE = 0;

  /** Slabs without a piece in use, the longest idle first. */
  static final int WHOLLY_IDLE = 1;

  static final int LISTS = 2;

  private final int list;
  private @Nullable Slab first;
  private @Nullable Slab last;

  SlabList(int list) {
    this.list = list;
  }

  @Nullable Slab first() {
    return first;
  }

  void addFirst(Slab slab) {
    link(null, slab);
    link(slab, first);
    first = slab;
    if (last == null) {
      last = slab;
    }
  }

  void addLast(Slab slab) {
    link(last, slab);
    link(slab, null);
    last = slab;
    if (first == null) {
      first = slab;
    }
  }

  void remove(Slab slab) {
    Slab before = slab.previous[list];
    Slab after = slab.next[list];
    link(before, after);
    if (first == slab) {
      first = after;
    }
    if (last == slab) {
      last = before;
    }
    slab.previous[list] = null;
    slab.next[list] = null;
  }

  void removeIf(Predicate<Slab> unwanted) {
    Slab slab = first;
    while (slab != null) {
      Slab following = slab.next[list];
      if (unwanted.test(slab)) {
        remove(slab);
      }
      slab = following;
    }
  }

  private void link(@Nullable Slab before, @Nullable Slab after) {
    if (before != null) {
      before.next[list] = after;
    }
    if (after != null) {
      after.previous[list] = before;
    }
  }
}
