package dev.holdfast.testkit;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assertions;

/**
 * A real JVM that runs a main class of the test's class path. Both outputs are captured, the last
 * lines of each. Every wait has an end, at which the test fails and shows what the child wrote.
 *
 * <p>The test says how the child ends: {@link #close} fails when it is still alive, and kills it.
 * Any thread may call.
 */
public final class ChildJvm implements AutoCloseable {
  /** The signal that cannot be caught. */
  public static final int SIGKILL = 9;

  /** The signal that asks for an end. */
  public static final int SIGTERM = 15;

  /** The signal that stops a process. */
  public static final int SIGSTOP = 19;

  /** The signal that lets a stopped process go on. */
  public static final int SIGCONT = 18;

  /** What is added to the number of a signal in the exit status of a process that it killed. */
  public static final int SIGNALLED = 128;

  /** How often a wait for a line looks whether the child lives. */
  private static final long LOOK_NANOS = 100_000_000L;

  /** The same for a child whose end is nothing unusual. */
  private static final long SHORT_LOOK_NANOS = 5_000_000L;

  /** How long the end of a dead child's outputs is waited for. */
  private static final Duration LAST_LINES = Duration.ofSeconds(2);

  /**
   * The option of JVMs that live for moments: only the first, fast compiler runs, which halves what
   * such a JVM costs.
   */
  public static final String SHORT_LIVED = "-XX:TieredStopAtLevel=1";

  private static final Set<ChildJvm> RUNNING = ConcurrentHashMap.newKeySet();

  static {
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(() -> RUNNING.forEach(child -> child.process.destroyForcibly())));
  }

  private final Process process;
  private final String command;
  private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
  private final BoundedText output = new BoundedText();
  private final BoundedText errorOutput = new BoundedText();
  private final List<Thread> readers = new ArrayList<>();
  private final Writer input;

  private ChildJvm(Process process, String command) {
    this.process = process;
    this.command = command;
    this.input =
        new BufferedWriter(
            new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8));
  }

  /**
   * Starts to describe a child.
   *
   * @param main its main class, on the class path of this process
   * @return the description
   */
  public static Builder of(Class<?> main) {
    return new Builder(main.getName());
  }

  /**
   * Starts to describe a child that compiles its main class first: for what cannot be compiled with
   * the tests.
   *
   * @param source a source file
   * @return the description
   */
  public static Builder ofSource(Path source) {
    return new Builder(source.toString());
  }

  /**
   * Returns the java command that children run.
   *
   * @return its path
   */
  public static String java() {
    return System.getProperty(
        "holdfast.java", Path.of(System.getProperty("java.home"), "bin", "java").toString());
  }

  /**
   * Returns the child's process id.
   *
   * @return the id
   */
  public long pid() {
    return process.pid();
  }

  /**
   * Returns whether the child runs.
   *
   * @return true while it does
   */
  public boolean isAlive() {
    return process.isAlive();
  }

  /**
   * Sends a line to the child's standard input.
   *
   * @param line without a line end
   */
  public void send(String line) {
    try {
      input.write(line + "\n");
      input.flush();
    } catch (IOException e) {
      throw new AssertionError("cannot write to " + describe(), e);
    }
  }

  /**
   * Sends a line to a child that may have been killed.
   *
   * @param line without a line end
   * @return false when nobody reads there any more
   */
  public boolean offer(String line) {
    try {
      input.write(line + "\n");
      input.flush();
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Waits for the next line of standard output of a child that may be killed at any moment.
   *
   * @return the line, or nothing when the child has ended and all its lines were returned
   */
  public Optional<String> lineOrEnd() {
    long start = System.nanoTime();
    boolean ended = false;
    while (true) {
      String line = nextLine(ended ? 0 : SHORT_LOOK_NANOS);
      if (line != null || ended) {
        return Optional.ofNullable(line);
      }
      if (!process.isAlive()) {
        ended = awaitLastLines(Deadlines.GENEROUS);
        Assertions.assertTrue(ended, () -> "not all was read of " + describe());
      } else if (System.nanoTime() - start > Deadlines.GENEROUS.toNanos()) {
        return Assertions.fail("no line within " + Deadlines.GENEROUS + " from " + describe());
      }
    }
  }

  /**
   * Waits for a line of standard output that begins so, and drops those before it.
   *
   * @param prefix how it begins
   * @return the line without the prefix
   */
  public String awaitLine(String prefix) {
    return awaitLine(prefix, Deadlines.GENEROUS);
  }

  /**
   * Waits for a line of standard output that begins so, and drops those before it. A child that
   * ends without it fails the test at once.
   *
   * @param prefix how it begins
   * @param limit when the test fails
   * @return the line without the prefix
   */
  public String awaitLine(String prefix, Duration limit) {
    long start = System.nanoTime();
    boolean ended = false;
    while (true) {
      long left = limit.toNanos() - (System.nanoTime() - start);
      String line = nextLine(ended ? 0 : Math.min(left, LOOK_NANOS));
      if (line != null && line.startsWith(prefix)) {
        return line.substring(prefix.length()).trim();
      }
      if (line == null && ended) {
        return Assertions.fail("ended without a line '" + prefix + "': " + describe());
      }
      if (left <= 0) {
        return Assertions.fail("no line '" + prefix + "' within " + limit + " from " + describe());
      }
      if (line == null && !process.isAlive()) {
        awaitLastLines(LAST_LINES);
        ended = true;
      }
    }
  }

  /**
   * Sends a signal.
   *
   * @param signal its number
   */
  public void kill(int signal) {
    if (signal == SIGKILL) {
      process.destroyForcibly();
    } else {
      signal(pid(), signal);
    }
  }

  /**
   * Sends a signal to a process that the test or its children started. Behind SIGSTOP the process
   * stands still, with all its threads.
   *
   * @param pid the process
   * @param signal its number
   */
  public static void signal(long pid, int signal) {
    try {
      Process kill = new ProcessBuilder("sh", "-c", "kill -" + signal + " " + pid).start();
      Assertions.assertTrue(kill.waitFor(60, TimeUnit.SECONDS), "kill did not end");
      if (signal == SIGSTOP) {
        Deadlines.assertEventually("it stands still", () -> ProcSelf.standsStill(pid));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while the test waited", e);
    }
  }

  /**
   * Waits for the child's end.
   *
   * @return the exit status; 128 and the number for a signal
   */
  public int awaitExit() {
    return awaitExit(Deadlines.GENEROUS);
  }

  /**
   * Waits for the child's end, and for the end of its outputs as long as nobody else holds them.
   *
   * @param limit when the test fails
   * @return the exit status; 128 and the number for a signal
   */
  public int awaitExit(Duration limit) {
    try {
      if (!process.waitFor(limit.toNanos(), TimeUnit.NANOSECONDS)) {
        return Assertions.fail("still alive after " + limit + ": " + describe());
      }
      var _ = awaitLastLines(Duration.ofSeconds(10)); // others may hold them longer
      RUNNING.remove(this);
      return process.exitValue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while the test waited", e);
    }
  }

  /** Waits until all is read that a child which has ended wrote, unless others hold its outputs. */
  private boolean awaitLastLines(Duration limit) {
    try {
      boolean all = true;
      for (Thread reader : readers) {
        all &= reader.join(limit);
      }
      return all;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while the test waited", e);
    }
  }

  /** Waits for the child's end and fails unless its status is 0. */
  public void awaitSuccess() {
    awaitSuccess(Deadlines.GENEROUS);
  }

  /**
   * Waits for the child's end and fails unless its status is 0.
   *
   * @param limit when the test fails
   */
  public void awaitSuccess(Duration limit) {
    int status = awaitExit(limit);
    Assertions.assertEquals(0, status, this::describe);
  }

  /** Kills the child with SIGKILL and waits for its end. */
  public void killAndAwait() {
    kill(SIGKILL);
    Assertions.assertEquals(SIGNALLED + SIGKILL, awaitExit(), this::describe);
  }

  /**
   * Returns the last lines that the child wrote to standard output.
   *
   * @return the text
   */
  public String output() {
    return output.toString();
  }

  /**
   * Returns the last lines that the child wrote to standard error.
   *
   * @return the text
   */
  public String errorOutput() {
    return errorOutput.toString();
  }

  /** Fails when the child is alive, after killing it and what it started. */
  @Override
  public void close() {
    RUNNING.remove(this);
    List<ProcessHandle> started = process.descendants().toList();
    boolean left = process.isAlive();
    process.destroyForcibly();
    started.forEach(ProcessHandle::destroyForcibly);
    if (left) {
      Assertions.fail("left alive and killed: " + describe());
    }
  }

  private @Nullable String nextLine(long nanos) {
    try {
      return lines.poll(Math.max(0, nanos), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while the test waited", e);
    }
  }

  private String describe() {
    return "%s%npid %d, %s%n--- standard output%n%s%n--- standard error%n%s"
        .formatted(
            command,
            pid(),
            process.isAlive() ? "alive" : "exit status " + process.exitValue(),
            output,
            errorOutput);
  }

  private void read(String name, InputStream stream, Consumer<String> sink) {
    readers.add(
        Thread.ofPlatform()
            .daemon()
            .name("test-child-" + name)
            .start(
                () -> {
                  try (BufferedReader reader =
                      new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
                    reader.lines().forEach(sink);
                  } catch (IOException | UncheckedIOException e) {
                    sink.accept("(output ended: " + e + ")");
                  }
                }));
  }

  private void startReading(InputStream standardOutput, InputStream standardError) {
    read(
        "output",
        standardOutput,
        line -> {
          output.add(line);
          lines.add(line);
        });
    read("error", standardError, errorOutput::add);
    RUNNING.add(this);
  }

  /** What a child is started with. Used by one thread. */
  public static final class Builder {
    private final String main;
    private final List<String> prefix = new ArrayList<>();
    private final List<String> jvmArguments = new ArrayList<>();
    private final List<String> arguments = new ArrayList<>();
    private final Map<String, @Nullable String> environment = new HashMap<>();
    private @Nullable Path directory;
    private boolean nativeAccess = true;
    private boolean optimizing;

    private Builder(String main) {
      this.main = main;
    }

    /**
     * Adds arguments of the main class.
     *
     * @param more the arguments
     * @return this
     */
    public Builder args(String... more) {
      arguments.addAll(List.of(more));
      return this;
    }

    /**
     * Adds arguments of the JVM.
     *
     * @param more the arguments
     * @return this
     */
    public Builder jvmArgs(String... more) {
      jvmArguments.addAll(List.of(more));
      return this;
    }

    /**
     * Makes the child heed SIGINT also where this JVM was told to ignore it, as a shell tells what
     * it runs in the background: a child inherits that.
     *
     * @return this
     */
    public Builder heedsInterrupts() {
      return prefix("env", "--default-signal=INT");
    }

    /**
     * Puts a command in front, which must replace itself by the rest.
     *
     * @param more the command's words
     * @return this
     */
    public Builder prefix(String... more) {
      prefix.addAll(List.of(more));
      return this;
    }

    /**
     * Sets a variable of the environment.
     *
     * @param name its name
     * @param value its value, or null to leave it out
     * @return this
     */
    public Builder environment(String name, @Nullable String value) {
      environment.put(name, value);
      return this;
    }

    /**
     * Sets the working directory.
     *
     * @param folder an existing folder
     * @return this
     */
    public Builder directory(Path folder) {
      directory = folder;
      return this;
    }

    /**
     * Leaves out the flag that permits native access.
     *
     * @return this
     */
    public Builder withoutNativeAccess() {
      nativeAccess = false;
      return this;
    }

    /**
     * Lets the optimizing compiler run, where the test is about the code that it makes or about
     * much work. Otherwise the child is {@link ChildJvm#SHORT_LIVED}.
     *
     * @return this
     */
    public Builder optimizing() {
      optimizing = true;
      return this;
    }

    /**
     * Starts the child.
     *
     * @return the running child
     */
    public ChildJvm start() {
      List<String> command = new ArrayList<>(prefix);
      command.add(java());
      if (!optimizing) {
        command.add(SHORT_LIVED);
      }
      if (nativeAccess) {
        command.add("--enable-native-access=ALL-UNNAMED");
      }
      command.addAll(jvmArguments);
      command.add("-cp");
      command.add(System.getProperty("java.class.path"));
      command.add(main);
      command.addAll(arguments);
      ProcessBuilder builder = new ProcessBuilder(command);
      environment.forEach(
          (name, value) -> {
            if (value == null) {
              builder.environment().remove(name);
            } else {
              builder.environment().put(name, value);
            }
          });
      if (directory != null) {
        builder.directory(directory.toFile());
      }
      try (ChildPipe output = new ChildPipe();
          ChildPipe errors = new ChildPipe()) {
        builder.redirectOutput(output.end()).redirectError(errors.end());
        ChildJvm child = new ChildJvm(builder.start(), main + " " + jvmArguments + arguments);
        child.startReading(output.takeReader(), errors.takeReader());
        return child;
      } catch (IOException e) {
        throw new UncheckedIOException("cannot start " + command, e);
      }
    }
  }
}
