package dev.holdfast.cli.bench;

import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.PrintStream;

/**
 * The process of one cell. Reads a {@link CellSpec} from standard input and writes a {@link
 * CellOutcome}, or the failure, to standard output, which nothing else may print to. Ends at once
 * when standard input ends: then the command is gone.
 */
final class CellMain {
  private CellMain() {}

  /**
   * Runs the cell.
   *
   * @param args not used
   * @throws Exception when the command cannot be talked to
   */
  public static void main(String[] args) throws Exception {
    PrintStream answer = System.out;
    System.setOut(System.err);
    ObjectInputStream request = new ObjectInputStream(System.in);
    CellSpec cell = (CellSpec) request.readObject();
    watch(System.in);
    Object outcome;
    try {
      outcome = new CellRun(cell).run();
    } catch (NotSupportedException e) {
      outcome = new CellNotSupported(cell, String.valueOf(e.getMessage()));
    } catch (Exception | Error failure) {
      outcome = new CellFailure(failure);
    }
    ObjectOutputStream stream = new ObjectOutputStream(answer);
    stream.writeObject(outcome);
    stream.flush();
    System.exit(0);
  }

  private static void watch(InputStream command) {
    Thread watcher =
        new Thread(
            () -> {
              try {
                while (command.read() >= 0) {
                  Thread.onSpinWait();
                }
              } catch (IOException e) {
                System.err.println("holdfast: " + e);
              }
              Runtime.getRuntime().halt(1);
            },
            "cell-watcher");
    watcher.setDaemon(true);
    watcher.start();
  }
}
