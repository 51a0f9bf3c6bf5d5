package dev.holdfast.loader.internal.pipeline;

import dev.holdfast.arena.ViewScope;
import dev.holdfast.arena.internal.life.Steps;
import dev.holdfast.loader.Lease;
import dev.holdfast.loader.Parcel;
import dev.holdfast.loader.internal.parent.ReceivedParcel;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What an item is while it moves. Opened or discarded once. */
public sealed interface Content {

  /** Opens it on the calling thread. */
  Lease<@Nullable Object> open(ViewScope scope);

  /** Opens it for good: its storage is kept until its views are collected. */
  default @Nullable Object plain() {
    try (Lease<@Nullable Object> lease = open(ViewScope.COLLECTED)) {
      return lease.item();
    }
  }

  /** Gives its storage back unopened. */
  void discard();

  /** Returns whether opening it gives views that end. */
  boolean isUnopened();

  /**
   * An object.
   *
   * @param value the object
   */
  record Value(@Nullable Object value) implements Content {
    @Override
    public Lease<@Nullable Object> open(ViewScope scope) {
      return new PlainLease(value);
    }

    @Override
    public void discard() {}

    @Override
    public boolean isUnopened() {
      return false;
    }
  }

  /**
   * What came from a worker.
   *
   * @param parcel the parcel
   */
  record Unopened(Parcel<@Nullable Object> parcel) implements Content {
    @Override
    public Lease<@Nullable Object> open(ViewScope scope) {
      return parcel.open(scope);
    }

    @Override
    public @Nullable Object plain() {
      return parcel instanceof ReceivedParcel<@Nullable Object> received
          ? received.plain()
          : Content.super.plain();
    }

    @Override
    public void discard() {
      parcel.discard();
    }

    @Override
    public boolean isUnopened() {
      return true;
    }
  }

  /**
   * A list of items, which are opened and ended together.
   *
   * @param parts the items
   */
  record Batch(List<Content> parts) implements Content {
    @Override
    public Lease<@Nullable Object> open(ViewScope scope) {
      List<Lease<@Nullable Object>> leases = new ArrayList<>(parts.size());
      List<@Nullable Object> items = new ArrayList<>(parts.size());
      boolean whole = false;
      try {
        for (Content part : parts) {
          Lease<@Nullable Object> lease = part.open(scope);
          leases.add(lease);
          items.add(lease.item());
        }
        whole = true;
      } finally {
        if (!whole) {
          Steps steps = new Steps();
          leases.forEach(lease -> steps.run(lease::close));
          parts
              .subList(Math.min(parts.size(), leases.size() + 1), parts.size())
              .forEach(part -> steps.run(part::discard));
        }
      }
      return isUnopened()
          ? new BatchLease(Collections.unmodifiableList(items), leases)
          : new PlainLease(Collections.unmodifiableList(items));
    }

    @Override
    public void discard() {
      Steps steps = new Steps();
      parts.forEach(part -> steps.run(part::discard));
      steps.end();
    }

    @Override
    public boolean isUnopened() {
      return parts.stream().anyMatch(Content::isUnopened);
    }
  }
}
