package dev.holdfast.loader.internal.pipeline;

import java.util.List;

/** A region as the engine sees it. */
public interface RegionStage {

  /** Starts its workers and returns when they are ready. */
  void startWorkers();

  /** Begins to take inputs. */
  void start(Inlet in, CellQueue out);

  /** Looks which passes were left. */
  void cancelled();

  /** Makes all waits end. */
  void beginClosing();

  /** Ends workers and threads, and gives the arenas back. */
  void close();

  /** Returns its own figures and those of the stages inside. */
  List<StageFigures.Snapshot> figures();

  /** Returns how many workers were replaced. */
  long restarts();
}
