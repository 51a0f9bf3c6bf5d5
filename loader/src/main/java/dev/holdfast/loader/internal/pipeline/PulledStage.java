package dev.holdfast.loader.internal.pipeline;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The last stage of a worker, which runs on the thread that asks for its results. */
public final class PulledStage implements Inlet {
  private final Operator operator;
  private final Inlet in;
  private final Epochs epochs;
  private final StageFigures figures;
  private final List<Cell> last = new ArrayList<>();
  private @Nullable TimedResults results;

  PulledStage(Operator operator, Inlet in, Epochs epochs, StageFigures figures) {
    this.operator = operator;
    this.in = in;
    this.epochs = epochs;
    this.figures = figures;
  }

  @Override
  public Cell take() {
    while (true) {
      if (!last.isEmpty()) {
        return last.removeFirst();
      }
      TimedResults open = results;
      if (open != null && open.hasNext()) {
        return open.next();
      }
      results = null;
      Cell cell = in.take();
      switch (cell) {
        case Cell.Item item -> {
          if (epochs.isCancelled(item.epoch())) {
            CellQueue.drop(item);
          } else {
            in.sample(figures);
            results = new TimedResults(operator, item, figures, epochs);
          }
        }
        case Cell.End(var epoch) -> {
          last.addAll(operator.end(epoch));
          last.add(cell);
        }
        case Cell.Dropped _, Cell.Failed _ -> {
          return cell;
        }
      }
    }
  }

  /** Gives back what it has of a pass that was left and whose end will perhaps not come. */
  public void leave() {
    TimedResults open = results;
    results = null;
    while (open != null && open.hasNext()) {
      CellQueue.drop(open.next());
    }
    last.forEach(CellQueue::drop);
    last.clear();
    operator.discard();
  }
}
