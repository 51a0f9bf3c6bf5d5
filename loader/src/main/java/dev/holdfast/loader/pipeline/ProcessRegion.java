package dev.holdfast.loader.pipeline;

import dev.holdfast.loader.SubprocessOptions;
import dev.holdfast.loader.WorkerInitializer;
import dev.holdfast.loader.internal.pipeline.OptionsForm;
import java.io.InvalidObjectException;
import java.io.ObjectInputStream;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where the stages between {@link Pipeline#to} and {@link Pipeline#toMain} run: in each of some
 * worker processes, as one inner pipeline. Only inputs and results cross. Immutable; one region may
 * stand in several pipelines as long as its arenas do not.
 */
public final class ProcessRegion implements Serializable {
  private static final long serialVersionUID = 1L;

  /** How many deaths in a row without a result end a pipeline that restarts its workers. */
  public static final int DEFAULT_MAX_RESTARTS = 16;

  private final transient int workers;
  private final transient @Nullable ArenaSource inputArena;
  private final transient @Nullable ArenaSource outputArena;
  private final transient List<WorkerInitializer> initializers;
  private final transient long seed;
  private final transient Order order;
  private final transient OnWorkerDeath onWorkerDeath;
  private final transient int maxRestarts;
  private final transient int inputsAhead;
  private final transient SubprocessOptions options;

  private ProcessRegion(Draft draft) {
    this.workers = draft.workers;
    this.inputArena = draft.inputArena;
    this.outputArena = draft.outputArena;
    this.initializers = List.copyOf(draft.initializers);
    this.seed = draft.seed;
    this.order = draft.order;
    this.onWorkerDeath = draft.onWorkerDeath;
    this.maxRestarts = draft.maxRestarts;
    this.inputsAhead = draft.inputsAhead;
    this.options = draft.options;
  }

  /** What a changed copy is made of. */
  private static final class Draft {
    private int workers;
    private @Nullable ArenaSource inputArena;
    private @Nullable ArenaSource outputArena;
    private List<WorkerInitializer> initializers = List.of();
    private long seed;
    private Order order = Order.INPUT;
    private OnWorkerDeath onWorkerDeath = OnWorkerDeath.FAIL;
    private int maxRestarts = DEFAULT_MAX_RESTARTS;
    private int inputsAhead = 4;
    private SubprocessOptions options = SubprocessOptions.defaults();
  }

  /**
   * Begins a region.
   *
   * @param workers how many processes, at least 1
   * @return a region without arenas, in input order, that fails when a worker dies
   * @throws IllegalArgumentException when the number is below 1
   */
  public static ProcessRegion workers(int workers) {
    if (workers < 1) {
      throw new IllegalArgumentException("a region has a worker at least: workers=" + workers);
    }
    Draft draft = new Draft();
    draft.workers = workers;
    return new ProcessRegion(draft);
  }

  private Draft draft() {
    Draft draft = new Draft();
    draft.workers = workers;
    draft.inputArena = inputArena;
    draft.outputArena = outputArena;
    draft.initializers = initializers;
    draft.seed = seed;
    draft.order = order;
    draft.onWorkerDeath = onWorkerDeath;
    draft.maxRestarts = maxRestarts;
    draft.inputsAhead = inputsAhead;
    draft.options = options;
    return draft;
  }

  /**
   * Sends large binaries of inputs through an arena of each worker.
   *
   * @param source gives the arenas
   * @return a region with it
   */
  public ProcessRegion inputArena(ArenaSource source) {
    Draft draft = draft();
    draft.inputArena = Objects.requireNonNull(source, "source");
    return new ProcessRegion(draft);
  }

  /**
   * Receives large binaries of results through an arena of each worker.
   *
   * @param source gives the arenas
   * @return a region with it
   */
  public ProcessRegion outputArena(ArenaSource source) {
    Draft draft = draft();
    draft.outputArena = Objects.requireNonNull(source, "source");
    return new ProcessRegion(draft);
  }

  /**
   * Adds what runs in each worker before its first input, and again in each one that replaces it.
   *
   * @param initializer the action
   * @return a region with it
   */
  public ProcessRegion initializer(WorkerInitializer initializer) {
    Draft draft = draft();
    draft.initializers = new ArrayList<>(initializers);
    draft.initializers.add(Objects.requireNonNull(initializer, "initializer"));
    return new ProcessRegion(draft);
  }

  /**
   * Sets the seed that each worker's own is derived from. Default 0.
   *
   * @param newSeed any number
   * @return a region with it
   */
  public ProcessRegion seed(long newSeed) {
    Draft draft = draft();
    draft.seed = newSeed;
    return new ProcessRegion(draft);
  }

  /**
   * Sets the order of the results. With {@link Order#INPUT}, the default, the stages inside keep
   * theirs too.
   *
   * @param newOrder the order
   * @return a region with it
   */
  public ProcessRegion order(Order newOrder) {
    Draft draft = draft();
    draft.order = Objects.requireNonNull(newOrder, "order");
    return new ProcessRegion(draft);
  }

  /**
   * Sets what the death of a worker means, with the default limit.
   *
   * @param reaction the reaction
   * @return a region with it
   */
  public ProcessRegion onWorkerDeath(OnWorkerDeath reaction) {
    return onWorkerDeath(reaction, DEFAULT_MAX_RESTARTS);
  }

  /**
   * Sets what the death of a worker means.
   *
   * @param reaction the reaction
   * @param limit how many deaths in a row without a result end the pipeline all the same
   * @return a region with it
   * @throws IllegalArgumentException when the limit is below 1
   */
  public ProcessRegion onWorkerDeath(OnWorkerDeath reaction, int limit) {
    if (limit < 1) {
      throw new IllegalArgumentException("a limit of restarts is positive: limit=" + limit);
    }
    Draft draft = draft();
    draft.onWorkerDeath = Objects.requireNonNull(reaction, "reaction");
    draft.maxRestarts = limit;
    return new ProcessRegion(draft);
  }

  /**
   * Sets how many unanswered inputs a worker may have. Default 4; a batch inside the region raises
   * it by what it needs.
   *
   * @param limit at least 1
   * @return a region with it
   * @throws IllegalArgumentException when it is below 1
   */
  public ProcessRegion inputsAhead(int limit) {
    if (limit < 1) {
      throw new IllegalArgumentException("a worker needs an input: limit=" + limit);
    }
    Draft draft = draft();
    draft.inputsAhead = limit;
    return new ProcessRegion(draft);
  }

  /**
   * Sets how workers are started: JVM options, environment, outputs, limits, channel size, codec.
   * Arena, initializers and seed are the region's own business.
   *
   * @param newOptions options without an arena, initializers or a seed
   * @return a region with them
   * @throws IllegalArgumentException when the options have an arena, initializers or a seed
   */
  public ProcessRegion options(SubprocessOptions newOptions) {
    if (newOptions.arena().isPresent()
        || !newOptions.initializers().isEmpty()
        || newOptions.seed() != 0) {
      throw new IllegalArgumentException(
          "arena, initializers and seed of a region are set on the region itself");
    }
    Draft draft = draft();
    draft.options = newOptions;
    return new ProcessRegion(draft);
  }

  /**
   * Returns how many workers there are.
   *
   * @return at least 1
   */
  public int workers() {
    return workers;
  }

  /**
   * Returns what gives the arenas of inputs.
   *
   * @return the source, or nothing when inputs go through the channel
   */
  public Optional<ArenaSource> inputArena() {
    return Optional.ofNullable(inputArena);
  }

  /**
   * Returns what gives the arenas of results.
   *
   * @return the source, or nothing when results go through the channel
   */
  public Optional<ArenaSource> outputArena() {
    return Optional.ofNullable(outputArena);
  }

  /**
   * Returns what runs in each worker first.
   *
   * @return the initializers in their order
   */
  public List<WorkerInitializer> initializers() {
    return initializers;
  }

  /**
   * Returns the seed that workers' seeds are derived from.
   *
   * @return the seed
   */
  public long seed() {
    return seed;
  }

  /**
   * Returns the order of the results.
   *
   * @return the order
   */
  public Order order() {
    return order;
  }

  /**
   * Returns what the death of a worker means.
   *
   * @return the reaction
   */
  public OnWorkerDeath onWorkerDeath() {
    return onWorkerDeath;
  }

  /**
   * Returns how many deaths in a row without a result end the pipeline.
   *
   * @return at least 1
   */
  public int maxRestarts() {
    return maxRestarts;
  }

  /**
   * Returns how many unanswered inputs a worker may have.
   *
   * @return at least 1
   */
  public int inputsAhead() {
    return inputsAhead;
  }

  /**
   * Returns how workers are started.
   *
   * @return the options
   */
  public SubprocessOptions options() {
    return options;
  }

  /** What crosses to a worker that runs a whole pipeline. */
  private record Form(
      int workers,
      @Nullable ArenaSource inputArena,
      @Nullable ArenaSource outputArena,
      ArrayList<WorkerInitializer> initializers,
      long seed,
      Order order,
      OnWorkerDeath onWorkerDeath,
      int maxRestarts,
      int inputsAhead,
      OptionsForm options)
      implements Serializable {
    private static final long serialVersionUID = 1L;

    private Object readResolve() {
      Draft draft = new Draft();
      draft.workers = workers;
      draft.inputArena = inputArena;
      draft.outputArena = outputArena;
      draft.initializers = initializers;
      draft.seed = seed;
      draft.order = order;
      draft.onWorkerDeath = onWorkerDeath;
      draft.maxRestarts = maxRestarts;
      draft.inputsAhead = inputsAhead;
      draft.options = options.options();
      return new ProcessRegion(draft);
    }
  }

  private Object writeReplace() {
    return new Form(
        workers,
        inputArena,
        outputArena,
        new ArrayList<>(initializers),
        seed,
        order,
        onWorkerDeath,
        maxRestarts,
        inputsAhead,
        OptionsForm.of(options));
  }

  private void readObject(ObjectInputStream in) throws InvalidObjectException {
    throw new InvalidObjectException("a region crosses as its form");
  }
}
