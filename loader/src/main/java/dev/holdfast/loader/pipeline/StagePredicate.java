package dev.holdfast.loader.pipeline;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * Which items go on.
 *
 * @param <A> the type of the items
 */
@SuppressWarnings("exports") // the nullness annotations are not there at run time
@FunctionalInterface
public interface StagePredicate<A extends @Nullable Object> extends Serializable {

  /**
   * Looks at one item.
   *
   * @param item the item
   * @return whether it goes on
   * @throws Exception when the item fails
   */
  boolean test(A item) throws Exception;
}
