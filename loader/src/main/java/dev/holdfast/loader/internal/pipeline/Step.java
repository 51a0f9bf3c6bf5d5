package dev.holdfast.loader.internal.pipeline;

import dev.holdfast.loader.pipeline.ContextFunction;
import dev.holdfast.loader.pipeline.Order;
import dev.holdfast.loader.pipeline.ProcessRegion;
import dev.holdfast.loader.pipeline.StageFunction;
import dev.holdfast.loader.pipeline.StagePredicate;
import java.io.Serializable;
import java.util.ArrayList;
import org.jspecify.annotations.Nullable;

/** One step of a description. Functions are kept without their types, which the builder checked. */
public sealed interface Step extends Serializable {

  /** Returns the stage's name. */
  String name();

  /** Returns the same step with another name. */
  Step named(String name);

  /** Returns how many threads or workers run it. */
  default int concurrency() {
    return 1;
  }

  /** Returns in which order its results go on. */
  default Order order() {
    return Order.INPUT;
  }

  /**
   * Calls a function for each item.
   *
   * @param how how it runs
   * @param work what it does
   */
  record Calling(How how, Work work) implements Step {
    private static final long serialVersionUID = 1L;

    @Override
    public String name() {
      return how.name();
    }

    @Override
    public Step named(String name) {
      return new Calling(how.named(name), work);
    }

    @Override
    public int concurrency() {
      return how.concurrency();
    }

    @Override
    public Order order() {
      return how.order();
    }
  }

  /**
   * How a function is called.
   *
   * @param name the stage's name
   * @param concurrency how many threads
   * @param order the order of the results
   * @param virtual whether the threads are virtual
   * @param keepsViews whether results may alias inputs
   */
  record How(String name, int concurrency, Order order, boolean virtual, boolean keepsViews)
      implements Serializable {
    private static final long serialVersionUID = 1L;

    How named(String newName) {
      return new How(newName, concurrency, order, virtual, keepsViews);
    }

    /** Returns the same on virtual threads. */
    public How onVirtualThreads() {
      return new How(name, concurrency, order, true, keepsViews);
    }

    /** Returns the same with results that may alias inputs. */
    public How keepingViews() {
      return new How(name, concurrency, order, virtual, true);
    }
  }

  /** What a function makes of an item. */
  sealed interface Work extends Serializable {}

  /**
   * Makes one of each.
   *
   * @param function what it does
   */
  record Map(ContextFunction<@Nullable Object, @Nullable Object> function) implements Work {
    private static final long serialVersionUID = 1L;
  }

  /**
   * Lets some through.
   *
   * @param predicate which
   */
  record Filter(StagePredicate<@Nullable Object> predicate) implements Work {
    private static final long serialVersionUID = 1L;
  }

  /**
   * Makes any number of each.
   *
   * @param function what it does
   */
  record FlatMap(StageFunction<@Nullable Object, Iterable<?>> function) implements Work {
    private static final long serialVersionUID = 1L;
  }

  /**
   * Collects lists.
   *
   * @param name the stage's name
   * @param size how many items a full list has
   */
  record Batch(String name, int size) implements Step {
    private static final long serialVersionUID = 1L;

    @Override
    public Step named(String newName) {
      return new Batch(newName, size);
    }
  }

  /**
   * Takes iterables apart.
   *
   * @param name the stage's name
   */
  record Unbatch(String name) implements Step {
    private static final long serialVersionUID = 1L;

    @Override
    public Step named(String newName) {
      return new Unbatch(newName);
    }
  }

  /**
   * Sets the size of the queue between its neighbours.
   *
   * @param name the stage's name
   * @param size how many items it holds
   */
  record Buffer(String name, int size) implements Step {
    private static final long serialVersionUID = 1L;

    @Override
    public Step named(String newName) {
      return new Buffer(newName, size);
    }
  }

  /**
   * Runs steps in workers.
   *
   * @param name the region's name
   * @param region how
   * @param steps the steps inside
   */
  record Region(String name, ProcessRegion region, ArrayList<Step> steps) implements Step {
    private static final long serialVersionUID = 1L;

    @Override
    public Step named(String newName) {
      return new Region(newName, region, steps);
    }

    @Override
    public int concurrency() {
      return region.workers();
    }

    @Override
    public Order order() {
      return region.order();
    }
  }
}
