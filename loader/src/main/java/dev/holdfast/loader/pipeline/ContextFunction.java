package dev.holdfast.loader.pipeline;

import dev.holdfast.loader.WorkerContext;
import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * What a stage does with one item when it wants to know its worker. Otherwise as {@link
 * StageFunction}.
 *
 * @param <A> the type of its input
 * @param <B> the type of its result
 */
@SuppressWarnings("exports") // the nullness annotations are not there at run time
@FunctionalInterface
public interface ContextFunction<A extends @Nullable Object, B extends @Nullable Object>
    extends Serializable {

  /**
   * Works on one item.
   *
   * @param item the item; behind a region its views end when this returns
   * @param context the worker. The last stage of a region, when its concurrency is 1, allocates in
   *     the region's output arena; any other stage gets ordinary memory
   * @return the result
   * @throws Exception when the item fails
   */
  B apply(A item, WorkerContext context) throws Exception;
}
