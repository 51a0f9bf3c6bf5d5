package dev.holdfast.loader.internal.pipeline;

import java.util.List;

/** What moves from stage to stage. */
public sealed interface Cell {

  /** Returns the pass that it belongs to. */
  long epoch();

  /**
   * An item.
   *
   * @param epoch the pass
   * @param index which item of the source it stems from
   * @param content what it is
   * @param origins the inputs of the region that it answers; none outside of workers
   */
  record Item(long epoch, long index, Content content, List<Origin> origins) implements Cell {

    /** Returns what becomes of this item. */
    Item becoming(Content newContent) {
      return new Item(epoch, index, newContent, origins);
    }
  }

  /**
   * The end of an item inside a worker: it was filtered, taken apart, or failed.
   *
   * @param epoch the pass
   * @param origins the inputs that it answers
   * @param troubles what failed, perhaps nothing
   */
  record Dropped(long epoch, List<Origin> origins, List<Trouble> troubles) implements Cell {}

  /**
   * An error for the consumer, in its place.
   *
   * @param epoch the pass
   * @param failure what to throw
   */
  record Failed(long epoch, RuntimeException failure) implements Cell {}

  /**
   * The end of a pass.
   *
   * @param epoch the pass
   */
  record End(long epoch) implements Cell {}
}
