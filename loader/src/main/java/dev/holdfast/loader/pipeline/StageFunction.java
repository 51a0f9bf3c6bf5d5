package dev.holdfast.loader.pipeline;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * What a stage does with one item. Called by several threads when the stage has a concurrency above
 * one. Crosses to workers by serialization; a lambda written in place can.
 *
 * @param <A> the type of its input
 * @param <B> the type of its result
 */
@SuppressWarnings("exports") // the nullness annotations are not there at run time
@FunctionalInterface
public interface StageFunction<A extends @Nullable Object, B extends @Nullable Object>
    extends Serializable {

  /**
   * Works on one item.
   *
   * @param item the item; behind a region its views end when this returns
   * @return the result
   * @throws Exception when the item fails
   */
  B apply(A item) throws Exception;
}
