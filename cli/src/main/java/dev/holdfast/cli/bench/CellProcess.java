package dev.holdfast.cli.bench;

import dev.holdfast.arena.FailureDetail;
import dev.holdfast.cli.text.Words;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.PrintStream;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Runs a cell in a new process and waits for its answer. */
final class CellProcess implements CellRunner {
  private static final long LONGEST_CELL_SECONDS = 600;
  private static final long LONGEST_EXIT_SECONDS = 20;

  private final PrintStream errors;
  private final boolean verbose;

  CellProcess(PrintStream errors, boolean verbose) {
    this.errors = errors;
    this.verbose = verbose;
  }

  @Override
  public CellOutcome run(CellSpec cell) throws IOException {
    Process process =
        new ProcessBuilder(JvmCommand.of(Transports.named(cell.transport()), CellMain.class))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    CompletableFuture.delayedExecutor(LONGEST_CELL_SECONDS, TimeUnit.SECONDS)
        .execute(process::destroyForcibly);
    try (ObjectOutputStream request = new ObjectOutputStream(process.getOutputStream())) {
      request.writeObject(cell);
      request.flush();
      return outcome(cell, process);
    } finally {
      end(process);
    }
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
