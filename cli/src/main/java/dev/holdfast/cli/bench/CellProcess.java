package dev.holdfast.cli.bench;

import dev.holdfast.arena.FailureDetail;
import dev.holdfast.cli.text.Words;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Runs each cell in a new process and waits for its answer, which there is none of when a cell, or
 * all of them together, take too long.
 */
final class CellProcess implements CellRunner {
  private static final Duration LONGEST_CELL = Duration.ofMinutes(10);
  private static final long LONGEST_EXIT_SECONDS = 20;

  private final PrintStream errors;
  private final boolean verbose;
  private final @Nullable Duration longest;
  private final long begin = System.nanoTime();

  /** For any number of cells. */
  CellProcess(PrintStream errors, boolean verbose) {
    this(errors, verbose, null);
  }

  /**
   * For as many cells as there is time for.
   *
   * @param longest what all cells may take together, from now on; null when nothing limits them
   */
  CellProcess(PrintStream errors, boolean verbose, @Nullable Duration longest) {
    this.errors = errors;
    this.verbose = verbose;
    this.longest = longest;
  }

  @Override
  public CellOutcome run(CellSpec cell) throws IOException {
    Duration limit = limit(cell);
    Process process =
        new ProcessBuilder(JvmCommand.of(Transports.named(cell.transport()), CellMain.class))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    AtomicBoolean late = new AtomicBoolean();
    CompletableFuture<Void> end =
        CompletableFuture.runAsync(
            () -> {
              late.set(true); // before the answer breaks off
              process.destroyForcibly();
            },
            CompletableFuture.delayedExecutor(limit.toMillis(), TimeUnit.MILLISECONDS));
    try (ObjectOutputStream request = new ObjectOutputStream(process.getOutputStream())) {
      request.writeObject(cell);
      request.flush();
      return outcome(cell, process);
    } catch (CellFailedException | IOException e) {
      if (late.get()) {
        throw tooLong(cell, limit);
      }
      throw e;
    } finally {
      end.cancel(false);
      end(process);
    }
  }

  /** Returns how long a cell may take that begins now. */
  private Duration limit(CellSpec cell) {
    if (longest == null) {
      return LONGEST_CELL;
    }
    Duration left = longest.minusNanos(System.nanoTime() - begin);
    if (!left.isPositive()) {
      throw new CellFailedException(
          describe(cell, "no time is left for the cell")
              .with("longestMillis", longest.toMillis())
              .advise("let nothing else use the machine"));
    }
    return left.compareTo(LONGEST_CELL) < 0 ? left : LONGEST_CELL;
  }

  private static CellFailedException tooLong(CellSpec cell, Duration limit) {
    return new CellFailedException(
        describe(cell, "the cell took too long and was ended")
            .with("longestMillis", limit.toMillis()));
  }

  private CellOutcome outcome(CellSpec cell, Process process) {
    try (ObjectInputStream answer = new ObjectInputStream(process.getInputStream())) {
      return switch (answer.readObject()) {
        case CellOutcome outcome -> {
          end(process);
          yield outcome;
        }
        case CellFailure failure -> {
          if (verbose) {
            errors.print(failure.stack());
          }
          throw new CellFailedException(
              describe(cell, "the cell failed").with("reason", failure.summary()));
        }
        default -> throw new IOException("the answer is of another kind");
      };
    } catch (IOException | ClassNotFoundException e) {
      end(process);
      throw new CellFailedException(
          describe(cell, "the cell's process gave no answer")
              .with("exit", process.exitValue())
              .with("reason", Words.summary(e)));
    }
  }

  static FailureDetail describe(CellSpec cell, String what) {
    return FailureDetail.of(what).with("cell", CellName.full(cell));
  }

  /** Lets the process end by itself, and kills it when it does not. */
  private static void end(Process process) {
    try {
      if (!process.waitFor(LONGEST_EXIT_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
