package dev.holdfast.loader;

import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.arena.payload.ItemCodec;
import java.io.ObjectInputFilter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How a worker is started and how much it may run ahead. Immutable; options without an arena may be
 * used for several workers.
 */
public final class SubprocessOptions {
  private static final SubprocessOptions DEFAULTS = builder().build();

  private final @Nullable SharedMemoryArena arena;
  private final int bufferSize;
  private final int channelBytes;
  private final List<WorkerInitializer> initializers;
  private final Duration startTimeout;
  private final @Nullable Duration timeout;
  private final List<String> jvmArgs;
  private final Map<String, String> environment;
  private final @Nullable Path workingDirectory;
  private final WorkerOutput standardOutput;
  private final WorkerOutput standardError;
  private final @Nullable ObjectInputFilter deserializationFilter;
  private final CodecSource codec;
  private final long seed;
  private final boolean keepJavaToolOptions;

  private SubprocessOptions(Builder builder) {
    arena = builder.arena;
    bufferSize = builder.bufferSize;
    channelBytes = builder.channelBytes;
    initializers = List.copyOf(builder.initializers);
    startTimeout = builder.startTimeout;
    timeout = builder.timeout;
    jvmArgs = List.copyOf(builder.jvmArgs);
    environment = Map.copyOf(builder.environment);
    workingDirectory = builder.workingDirectory;
    standardOutput = builder.standardOutput;
    standardError = builder.standardError;
    deserializationFilter = builder.deserializationFilter;
    codec = builder.codec;
    seed = builder.seed;
    keepJavaToolOptions = builder.keepJavaToolOptions;
  }

  /**
   * Returns options with every default: no arena, three items ahead, a channel of 1 MiB, 60 seconds
   * to start.
   *
   * @return the options
   */
  public static SubprocessOptions defaults() {
    return DEFAULTS;
  }

  /**
   * Starts from the defaults.
   *
   * @return a builder, for one thread
   */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Returns the arena for large binaries.
   *
   * @return the arena, or nothing when everything goes through the channel
   */
  public Optional<SharedMemoryArena> arena() {
    return Optional.ofNullable(arena);
  }

  /**
   * Returns how many unread items the worker may produce ahead.
   *
   * @return at least 1
   */
  public int bufferSize() {
    return bufferSize;
  }

  /**
   * Returns how many bytes of unread records the channel holds.
   *
   * @return bytes; a longer record crosses in pieces
   */
  public int channelBytes() {
    return channelBytes;
  }

  /**
   * Returns what runs in the worker before the source is opened.
   *
   * @return the initializers in their order
   */
  public List<WorkerInitializer> initializers() {
    return initializers;
  }

  /**
   * Returns how long the worker may take until it is ready.
   *
   * @return the limit
   */
  public Duration startTimeout() {
    return startTimeout;
  }

  /**
   * Returns how long the consumer waits without any message from the worker.
   *
   * @return the limit, or nothing when there is none
   */
  public Optional<Duration> timeout() {
    return Optional.ofNullable(timeout);
  }

  /**
   * Returns additional options of the worker's JVM.
   *
   * @return the options, which come after ours and so win
   */
  public List<String> jvmArgs() {
    return jvmArgs;
  }

  /**
   * Returns additional environment variables of the worker.
   *
   * @return an unmodifiable map
   */
  public Map<String, String> environment() {
    return environment;
  }

  /**
   * Returns the worker's working directory.
   *
   * @return the folder, or nothing when it is this process's
   */
  public Optional<Path> workingDirectory() {
    return Optional.ofNullable(workingDirectory);
  }

  /**
   * Returns where the worker's standard output goes.
   *
   * @return the choice
   */
  public WorkerOutput standardOutput() {
    return standardOutput;
  }

  /**
   * Returns where the worker's standard error goes.
   *
   * @return the choice
   */
  public WorkerOutput standardError() {
    return standardError;
  }

  /**
   * Returns which classes may arrive from the worker.
   *
   * @return the filter, or nothing when only the JVM-wide one applies
   */
  public Optional<ObjectInputFilter> deserializationFilter() {
    return Optional.ofNullable(deserializationFilter);
  }

  /**
   * Returns how items are written.
   *
   * @return what makes the codec in both processes
   */
  public CodecSource codec() {
    return codec;
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
   * Returns whether the worker inherits {@code JAVA_TOOL_OPTIONS}, {@code JDK_JAVA_OPTIONS} and
   * {@code _JAVA_OPTIONS}.
   *
   * @return false unless asked for
   */
  public boolean keepJavaToolOptions() {
    return keepJavaToolOptions;
  }

  /** Collects options. Not thread-safe. */
  public static final class Builder {
    private static final int LEAST_CHANNEL_BYTES = 4096;
    private static final int MOST_CHANNEL_BYTES = 1 << 30;

    private @Nullable SharedMemoryArena arena;
    private int bufferSize = 3;
    private int channelBytes = 1 << 20;
    private final List<WorkerInitializer> initializers = new ArrayList<>();
    private Duration startTimeout = Duration.ofSeconds(60);
    private @Nullable Duration timeout;
    private final List<String> jvmArgs = new ArrayList<>();
    private final Map<String, String> environment = new LinkedHashMap<>();
    private @Nullable Path workingDirectory;
    private WorkerOutput standardOutput = WorkerOutput.inherit();
    private WorkerOutput standardError = WorkerOutput.inherit();
    private @Nullable ObjectInputFilter deserializationFilter;
    private CodecSource codec = ItemCodec::standard;
    private long seed;
    private boolean keepJavaToolOptions;

    private Builder() {}

    /**
     * Sets the arena for large binaries. It belongs to the iterable from the call of {@link
     * Subprocess#iterate} on, which closes and unlinks it, also when the call fails.
     *
     * @param arena the arena, which nobody else uses
     * @return this builder
     */
    public Builder arena(SharedMemoryArena arena) {
      this.arena = Objects.requireNonNull(arena, "arena");
      return this;
    }

    /**
     * Sets how many unread items the worker may produce ahead. Default 3.
     *
     * @param items at least 1
     * @return this builder
     * @throws IllegalArgumentException when it is less
     */
    public Builder bufferSize(int items) {
      if (items < 1) {
        throw new IllegalArgumentException("bufferSize must be at least 1: bufferSize=" + items);
      }
      this.bufferSize = items;
      return this;
    }

    /**
     * Sets how many bytes of unread records the channel holds. Default 1 MiB.
     *
     * @param bytes from 4096 to 2^30; rounded up to a multiple of 4096
     * @return this builder
     * @throws IllegalArgumentException when it is outside
     */
    public Builder channelBytes(int bytes) {
      if (bytes < LEAST_CHANNEL_BYTES || bytes > MOST_CHANNEL_BYTES) {
        throw new IllegalArgumentException(
            "channelBytes must be from "
                + LEAST_CHANNEL_BYTES
                + " to "
                + MOST_CHANNEL_BYTES
                + ": channelBytes="
                + bytes);
      }
      this.channelBytes = (bytes + LEAST_CHANNEL_BYTES - 1) & -LEAST_CHANNEL_BYTES;
      return this;
    }

    /**
     * Adds an initializer. They run in the order in which they were added.
     *
     * @param initializer what to run
     * @return this builder
     */
    public Builder initializer(WorkerInitializer initializer) {
      initializers.add(Objects.requireNonNull(initializer, "initializer"));
      return this;
    }

    /**
     * Sets how long the worker may take until it is ready. Default 60 seconds.
     *
     * @param limit more than zero
     * @return this builder
     * @throws IllegalArgumentException when it is not
     */
    public Builder startTimeout(Duration limit) {
      this.startTimeout = positive("startTimeout", limit);
      return this;
    }

    /**
     * Sets how long the consumer waits without any message from the worker. Default: no limit; the
     * death of a worker is noticed without one.
     *
     * @param limit more than zero
     * @return this builder
     * @throws IllegalArgumentException when it is not
     */
    public Builder timeout(Duration limit) {
      this.timeout = positive("timeout", limit);
      return this;
    }

    /**
     * Adds options of the worker's JVM, such as {@code -Xmx2g}. The worker inherits from this JVM
     * only previews, opens, exports and native access, never its heap, debugger, agents or JMX
     * ports.
     *
     * @param options the options
     * @return this builder
     */
    public Builder jvmArgs(String... options) {
      jvmArgs.addAll(List.of(options));
      return this;
    }

    /**
     * Sets an environment variable of the worker.
     *
     * @param name its name
     * @param value its value
     * @return this builder
     * @throws IllegalArgumentException when the name is empty or contains {@code =}
     */
    public Builder environment(String name, String value) {
      if (name.isEmpty() || name.indexOf('=') >= 0) {
        throw new IllegalArgumentException("not a name of an environment variable: name=" + name);
      }
      environment.put(name, Objects.requireNonNull(value, "value"));
      return this;
    }

    /**
     * Sets the worker's working directory. Default: this process's.
     *
     * @param folder an existing folder
     * @return this builder
     */
    public Builder workingDirectory(Path folder) {
      this.workingDirectory = Objects.requireNonNull(folder, "folder");
      return this;
    }

    /**
     * Sets where the worker's standard output goes. Default: {@link WorkerOutput#inherit}.
     *
     * @param output the choice
     * @return this builder
     */
    public Builder standardOutput(WorkerOutput output) {
      this.standardOutput = Objects.requireNonNull(output, "output");
      return this;
    }

    /**
     * Sets where the worker's standard error goes. Default: {@link WorkerOutput#inherit}.
     *
     * @param output the choice
     * @return this builder
     */
    public Builder standardError(WorkerOutput output) {
      this.standardError = Objects.requireNonNull(output, "output");
      return this;
    }

    /**
     * Sets which classes may arrive from the worker. The JVM-wide filter applies too.
     *
     * @param filter the filter
     * @return this builder
     */
    public Builder deserializationFilter(ObjectInputFilter filter) {
      this.deserializationFilter = Objects.requireNonNull(filter, "filter");
      return this;
    }

    /**
     * Sets how items are written. Default: the standard payload handlers and Java serialization.
     *
     * @param source makes equal codecs in both processes
     * @return this builder
     */
    public Builder codec(CodecSource source) {
      this.codec = Objects.requireNonNull(source, "source");
      return this;
    }

    /**
     * Sets the seed that workers' seeds are derived from. Default 0.
     *
     * @param newSeed any number
     * @return this builder
     */
    public Builder seed(long newSeed) {
      this.seed = newSeed;
      return this;
    }

    /**
     * Lets the worker inherit {@code JAVA_TOOL_OPTIONS} and kin. Default: it does not.
     *
     * @param keep whether it does
     * @return this builder
     */
    public Builder keepJavaToolOptions(boolean keep) {
      this.keepJavaToolOptions = keep;
      return this;
    }

    /**
     * Makes the options.
     *
     * @return the options; the builder may be used on
     */
    public SubprocessOptions build() {
      return new SubprocessOptions(this);
    }

    private static Duration positive(String name, Duration limit) {
      if (limit.isNegative() || limit.isZero()) {
        throw new IllegalArgumentException(name + " must be more than zero: " + name + "=" + limit);
      }
      return limit;
    }
  }
}
