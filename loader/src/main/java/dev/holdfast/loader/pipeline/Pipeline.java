package dev.holdfast.loader.pipeline;

import dev.holdfast.loader.WorkerSource;
import dev.holdfast.loader.internal.pipeline.HostedSource;
import dev.holdfast.loader.internal.pipeline.Launch;
import dev.holdfast.loader.internal.pipeline.Plan;
import dev.holdfast.loader.internal.pipeline.PlanChecks;
import dev.holdfast.loader.internal.pipeline.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The description of a pipeline: a source, stages, and where they run. Immutable: each method
 * returns a longer description. {@link #build} starts it in this process, {@link
 * dev.holdfast.loader.Subprocess#iterate(Pipeline, dev.holdfast.loader.SubprocessOptions)} in a
 * worker.
 *
 * <p>Each stage runs on threads of its own behind a bounded queue. Stages between {@link #to} and
 * {@link #toMain} run in the workers of a region. An item that comes from a region travels
 * unopened; the first stage that needs it opens it on its own thread, and its views end when the
 * stage function has returned. A result that still aliases its input is refused with the stage's
 * name, unless the stage was declared {@link #keepsViews}. {@link #filter}, {@link #unbatch} and
 * {@link #flatMap} keep views until the garbage collector finds them gone; {@link #buffer} and
 * {@link #batch} open nothing, and whoever opens a batch ends its items together.
 *
 * @param <T> the type of the results so far
 */
@SuppressWarnings("exports") // the nullness annotations are not there at run time
public final class Pipeline<T extends @Nullable Object> {
  private final Plan plan;
  private final @Nullable ProcessRegion open;
  private final List<Step> inside;

  private Pipeline(Plan plan, @Nullable ProcessRegion open, List<Step> inside) {
    this.plan = plan;
    this.open = open;
    this.inside = inside;
  }

  /**
   * Begins a description.
   *
   * @param source asked for a new iterator in each pass, on a thread of the pipeline; an iterator
   *     that is {@link AutoCloseable} is closed. Items of a {@link
   *     dev.holdfast.loader.SubprocessIterable} travel unopened
   * @param <T> the type of its items
   * @return a pipeline without stages
   */
  public static <T extends @Nullable Object> Pipeline<T> from(Iterable<T> source) {
    return new Pipeline<>(Plan.of(Objects.requireNonNull(source, "source")), null, List.of());
  }

  /**
   * Keeps the pipeline warm between passes: the source begins the next pass as soon as it has ended
   * one, so that results are there when they are asked for.
   *
   * @return a pipeline with a continuous source
   */
  public Pipeline<T> continuous() {
    return new Pipeline<>(
        new Plan(plan.source(), true, plan.steps(), plan.failures()), open, inside);
  }

  /**
   * Sets what a failed item means. Default: {@link FailurePolicy#drop}.
   *
   * @param policy the policy of the whole pipeline
   * @return a pipeline with it
   */
  public Pipeline<T> onFailure(FailurePolicy policy) {
    Objects.requireNonNull(policy, "policy");
    return new Pipeline<>(
        new Plan(plan.source(), plan.continuous(), plan.steps(), policy), open, inside);
  }

  /**
   * Adds a stage on one thread.
   *
   * @param function what it does with each item
   * @param <R> the type of its results
   * @return a longer pipeline
   */
  public <R extends @Nullable Object> Pipeline<R> map(
      StageFunction<? super T, ? extends R> function) {
    return map(function, 1, Order.INPUT);
  }

  /**
   * Adds a stage whose results keep the order of their inputs.
   *
   * @param function what it does with each item
   * @param concurrency how many threads, at least 1
   * @param <R> the type of its results
   * @return a longer pipeline
   * @throws IllegalArgumentException when the concurrency is below 1
   */
  public <R extends @Nullable Object> Pipeline<R> map(
      StageFunction<? super T, ? extends R> function, int concurrency) {
    return map(function, concurrency, Order.INPUT);
  }

  /**
   * Adds a stage.
   *
   * @param function what it does with each item
   * @param concurrency how many threads, at least 1
   * @param order the order of its results
   * @param <R> the type of its results
   * @return a longer pipeline
   * @throws IllegalArgumentException when the concurrency is below 1
   */
  public <R extends @Nullable Object> Pipeline<R> map(
      StageFunction<? super T, ? extends R> function, int concurrency, Order order) {
    Objects.requireNonNull(function, "function");
    return mapWith((item, _) -> function.apply(item), concurrency, order);
  }

  /**
   * Adds a stage on one thread that is told its worker.
   *
   * @param function what it does with each item
   * @param <R> the type of its results
   * @return a longer pipeline
   */
  public <R extends @Nullable Object> Pipeline<R> mapWith(
      ContextFunction<? super T, ? extends R> function) {
    return mapWith(function, 1, Order.INPUT);
  }

  /**
   * Adds a stage that is told its worker.
   *
   * @param function what it does with each item
   * @param concurrency how many threads, at least 1
   * @param order the order of its results
   * @param <R> the type of its results
   * @return a longer pipeline
   * @throws IllegalArgumentException when the concurrency is below 1
   */
  @SuppressWarnings("unchecked") // items are what the stage before made
  public <R extends @Nullable Object> Pipeline<R> mapWith(
      ContextFunction<? super T, ? extends R> function, int concurrency, Order order) {
    Objects.requireNonNull(function, "function");
    return with(
        new Step.Calling(
            how("map", concurrency, order),
            new Step.Map((ContextFunction<@Nullable Object, @Nullable Object>) function)));
  }

  /**
   * Adds a stage that lets some items through.
   *
   * @param predicate which
   * @return a longer pipeline
   */
  public Pipeline<T> filter(StagePredicate<? super T> predicate) {
    return filter(predicate, 1, Order.INPUT);
  }

  /**
   * Adds a stage that lets some items through.
   *
   * @param predicate which
   * @param concurrency how many threads, at least 1
   * @param order the order of its results
   * @return a longer pipeline
   * @throws IllegalArgumentException when the concurrency is below 1
   */
  @SuppressWarnings("unchecked") // items are what the stage before made
  public Pipeline<T> filter(StagePredicate<? super T> predicate, int concurrency, Order order) {
    Objects.requireNonNull(predicate, "predicate");
    return with(
        new Step.Calling(
            how("filter", concurrency, order),
            new Step.Filter((StagePredicate<@Nullable Object>) predicate)));
  }

  /**
   * Adds a stage that makes any number of results of each item.
   *
   * @param function gives them; they are asked for one by one
   * @param <R> the type of its results
   * @return a longer pipeline
   */
  public <R extends @Nullable Object> Pipeline<R> flatMap(
      StageFunction<? super T, ? extends Iterable<? extends R>> function) {
    return flatMap(function, 1, Order.INPUT);
  }

  /**
   * Adds a stage that makes any number of results of each item.
   *
   * @param function gives them; they are asked for one by one
   * @param concurrency how many threads, at least 1
   * @param order the order of its results
   * @param <R> the type of its results
   * @return a longer pipeline
   * @throws IllegalArgumentException when the concurrency is below 1
   */
  @SuppressWarnings("unchecked") // items are what the stage before made
  public <R extends @Nullable Object> Pipeline<R> flatMap(
      StageFunction<? super T, ? extends Iterable<? extends R>> function,
      int concurrency,
      Order order) {
    Objects.requireNonNull(function, "function");
    return with(
        new Step.Calling(
            how("flatMap", concurrency, order),
            new Step.FlatMap(
                (StageFunction<@Nullable Object, Iterable<?>>) (StageFunction<?, ?>) function)));
  }

  /**
   * Adds a stage that collects lists of items; the last one of a pass may be shorter. Inside a
   * region each worker collects what it received.
   *
   * @param size how many items, at least 1
   * @return a longer pipeline
   * @throws IllegalArgumentException when the size is below 1
   */
  public Pipeline<List<T>> batch(int size) {
    return with(new Step.Batch(name("batch"), positive("size", size)));
  }

  /**
   * Adds a stage that takes iterables or arrays of objects apart.
   *
   * @param <R> the type of their elements, by the caller's word
   * @return a longer pipeline
   */
  public <R extends @Nullable Object> Pipeline<R> unbatch() {
    return with(new Step.Unbatch(name("unbatch")));
  }

  /**
   * Lets so many items wait between the stage before and the one that follows.
   *
   * @param size how many, at least 1
   * @return a longer pipeline
   * @throws IllegalArgumentException when the size is below 1
   */
  public Pipeline<T> buffer(int size) {
    return with(new Step.Buffer(name("buffer"), positive("size", size)));
  }

  /**
   * Names the last stage, or the region just left by {@link #toMain}.
   *
   * @param name how statistics and errors call it
   * @return a pipeline with it
   * @throws IllegalStateException when there is no stage
   */
  public Pipeline<T> named(String name) {
    Objects.requireNonNull(name, "name");
    return replacingLast(last().named(name));
  }

  /**
   * Declares that results of the last stage may alias its inputs, whose storage is then kept until
   * the garbage collector finds the last alias gone.
   *
   * @return a pipeline with it
   * @throws IllegalStateException when the last stage is no {@link #map}
   */
  public Pipeline<T> keepsViews() {
    if (last() instanceof Step.Calling(var how, Step.Map map)) {
      return replacingLast(new Step.Calling(how.keepingViews(), map));
    }
    throw new IllegalStateException("only a map stage can be told to keep views");
  }

  /**
   * Runs the last stage on virtual threads, for functions that mostly wait. The one that ends a
   * region with concurrency 1 stays on its worker's main thread, which alone fills memory of the
   * output arena.
   *
   * @return a pipeline with it
   * @throws IllegalStateException when the last stage calls no function
   */
  public Pipeline<T> onVirtualThreads() {
    if (last() instanceof Step.Calling(var how, var work)) {
      return replacingLast(new Step.Calling(how.onVirtualThreads(), work));
    }
    throw new IllegalStateException("the last stage calls no function");
  }

  /**
   * Has the stages that follow run in the workers of a region. A region that is open ends here.
   *
   * @param region where
   * @return a longer pipeline
   * @throws IllegalArgumentException when the region before has no stage
   */
  public Pipeline<T> to(ProcessRegion region) {
    Objects.requireNonNull(region, "region");
    return new Pipeline<>(open == null ? plan : closed(open), region, List.of());
  }

  /**
   * Has the stages that follow run in this process again.
   *
   * @return a longer pipeline
   * @throws IllegalArgumentException when the region has no stage
   * @throws IllegalStateException when no region is open
   */
  public Pipeline<T> toMain() {
    if (open == null) {
      throw new IllegalStateException("no region is open");
    }
    return new Pipeline<>(closed(open), null, List.of());
  }

  private Plan closed(ProcessRegion region) {
    if (inside.isEmpty()) {
      throw new IllegalArgumentException(
          "a region has no stage: workers=%d; add one between to and toMain"
              .formatted(region.workers()));
    }
    String name = "region-" + (plan.regions().size() + 1);
    return plan.with(new Step.Region(name, region, new ArrayList<>(inside)));
  }

  /**
   * Starts the pipeline in this process: asks for the arenas of its regions, starts all workers and
   * returns when they are ready.
   *
   * @return the running pipeline; the caller closes it
   * @throws IllegalArgumentException when a region is open, a stage or initializer cannot cross to
   *     a worker, a region's batches collect too many inputs, or an arena is too small for a batch
   *     that follows
   * @throws dev.holdfast.loader.WorkerFailedException when an initializer failed
   * @throws dev.holdfast.loader.WorkerDiedException when a worker could not be started or ended too
   *     soon
   * @throws dev.holdfast.loader.WorkerTimeoutException when a worker was not ready in time
   */
  public PipelineIterable<T> build() {
    return Launch.inThisProcess(finished());
  }

  /**
   * Returns this pipeline as a source that a worker opens, which is what {@link
   * dev.holdfast.loader.Subprocess#iterate(Pipeline, dev.holdfast.loader.SubprocessOptions)} runs.
   *
   * @return the source
   * @throws IllegalArgumentException when a region is open, a region's batches collect too many
   *     inputs, or a function that gives arenas has captured one that exists, with the path to it
   */
  public WorkerSource<T> asSource() {
    Plan checked = finished();
    PlanChecks.noArenaCaptured(checked);
    checked.regions().forEach(PlanChecks::heldInside);
    return new HostedSource<>(checked);
  }

  private Plan finished() {
    if (open != null) {
      throw new IllegalArgumentException(
          "a region is still open at the end of the pipeline: workers=%d; end it with toMain"
              .formatted(open.workers()));
    }
    return plan;
  }

  private Step last() {
    Step last = open == null ? plan.last() : inside.isEmpty() ? null : inside.getLast();
    if (last == null) {
      throw new IllegalStateException("there is no stage yet");
    }
    return last;
  }

  private <R extends @Nullable Object> Pipeline<R> with(Step step) {
    if (open == null) {
      return new Pipeline<>(plan.with(step), null, List.of());
    }
    List<Step> more = new ArrayList<>(inside);
    more.add(step);
    return new Pipeline<>(plan, open, more);
  }

  private Pipeline<T> replacingLast(Step step) {
    if (open == null) {
      return new Pipeline<>(plan.replacingLast(step), null, List.of());
    }
    List<Step> others = new ArrayList<>(inside);
    others.set(others.size() - 1, step);
    return new Pipeline<>(plan, open, others);
  }

  private Step.How how(String kind, int concurrency, Order order) {
    Objects.requireNonNull(order, "order");
    return new Step.How(name(kind), positive("concurrency", concurrency), order, false, false);
  }

  /** Numbers the stages of the whole pipeline. */
  private String name(String kind) {
    int number = inside.size() + 1;
    for (Step step : plan.steps()) {
      number += step instanceof Step.Region region ? region.steps().size() : 1;
    }
    return kind + "-" + number;
  }

  private static int positive(String name, int value) {
    if (value < 1) {
      throw new IllegalArgumentException(name + " is at least 1: " + name + "=" + value);
    }
    return value;
  }
}
