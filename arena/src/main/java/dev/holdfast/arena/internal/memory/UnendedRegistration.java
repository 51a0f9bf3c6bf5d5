package dev.holdfast.arena.internal.memory;

import dev.holdfast.arena.PagePinner;
import org.jspecify.annotations.Nullable;

/**
 * Goes along, suppressed, with a registration that was refused and may have taken effect all the
 * same: closing what it carries ends that, and must succeed before the memory is unmapped.
 */
public final class UnendedRegistration extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient PagePinner.@Nullable Registration left;

  /** Carries what may be left of a registration. */
  public UnendedRegistration(PagePinner.Registration left, Throwable cause) {
    super("the memory may still be page-locked: keep it mapped", cause);
    this.left = left;
  }

  /** Returns what may be left when a registration failed, or null when nothing is. */
  static PagePinner.@Nullable Registration of(Throwable failure) {
    for (Throwable suppressed : failure.getSuppressed()) {
      if (suppressed instanceof UnendedRegistration unended) {
        return unended.left;
      }
    }
    return null;
  }
}
