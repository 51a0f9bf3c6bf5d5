package dev.holdfast.loader.internal.pipeline;

import dev.holdfast.arena.ViewScope;
import dev.holdfast.loader.WorkerContext;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/** Makes the operators of steps. */
final class Operators {
  private Operators() {}

  static Operator of(Step step, WorkerContext context, Troubles troubles, StageFigures figures) {
    return switch (step) {
      case Step.Calling(var how, Step.Map(var function)) ->
          new Mapping(
              new Opening(
                  how.name(), how.keepsViews() ? ViewScope.COLLECTED : ViewScope.CONFINED, figures),
              troubles,
              item -> function.apply(item, context));
      case Step.Calling(var how, Step.Filter(var predicate)) ->
          new Filtering(
              new Opening(how.name(), ViewScope.COLLECTED, figures), troubles, predicate::test);
      case Step.Calling(var how, Step.FlatMap(var function)) ->
          new Expanding(
              new Opening(how.name(), ViewScope.COLLECTED, figures), troubles, function::apply);
      case Step.Unbatch(var name) ->
          new Expanding(
              new Opening(name, ViewScope.COLLECTED, figures), troubles, Operators::elements);
      case Step.Batch(_, var size) -> new Batching(size);
      case Step.Buffer _, Step.Region _ -> throw new IllegalArgumentException(step.name());
    };
  }

  private static Object elements(@Nullable Object item) {
    return switch (item) {
      case Iterable<?> elements -> elements;
      case Object[] elements -> Arrays.asList(elements);
      case null, default ->
          throw new IllegalArgumentException(
              "unbatch takes iterables and arrays of objects apart: class="
                  + (item == null ? "null" : item.getClass().getName()));
    };
  }

  /** Says that nothing goes on in an item's place; only a region keeps count of that. */
  static List<Cell> nothing(Cell.Item item) {
    return item.origins().isEmpty()
        ? List.of()
        : List.of(new Cell.Dropped(item.epoch(), item.origins(), List.of()));
  }

  private record Mapping(Opening opening, Troubles troubles, Opening.Work work)
      implements Operator {
    @Override
    public Iterator<? extends Cell> apply(Cell.Item item) {
      Opening.Outcome outcome = opening.work(item, work);
      Trouble trouble = outcome.trouble();
      return trouble == null
          ? List.of(item.becoming(new Content.Value(outcome.value()))).iterator()
          : troubles.settle(item, trouble).iterator();
    }
  }

  private record Filtering(Opening opening, Troubles troubles, Opening.Work work)
      implements Operator {

    /** An item and whether it goes on. */
    private record Seen(@Nullable Object item, boolean wanted) {}

    @Override
    public Iterator<? extends Cell> apply(Cell.Item item) {
      Opening.Outcome outcome =
          opening.work(item, input -> new Seen(input, Boolean.TRUE.equals(work.apply(input))));
      Trouble trouble = outcome.trouble();
      if (trouble != null) {
        return troubles.settle(item, trouble).iterator();
      }
      return outcome.value() instanceof Seen(var seen, var wanted) && wanted
          ? List.of(item.becoming(new Content.Value(seen))).iterator()
          : nothing(item).iterator();
    }
  }

  private record Expanding(Opening opening, Troubles troubles, Opening.Work work)
      implements Operator {
    @Override
    public Iterator<? extends Cell> apply(Cell.Item item) {
      Opening.Outcome outcome =
          opening.work(
              item,
              input ->
                  work.apply(input) instanceof Iterable<?> elements ? elements.iterator() : null);
      Trouble trouble = outcome.trouble();
      if (trouble == null && !(outcome.value() instanceof Iterator<?>)) {
        trouble =
            opening.trouble(item, null, new NullPointerException("there is no iterator"), false);
      }
      if (trouble != null) {
        return troubles.settle(item, trouble).iterator();
      }
      return outcome.value() instanceof Iterator<?> elements
          ? new Elements(item, elements, opening, troubles)
          : Collections.emptyIterator();
    }
  }

  /** Elements one by one; at their end, or when they fail, what says that there are no more. */
  private static final class Elements implements Iterator<Cell> {
    private final Cell.Item item;
    private final Iterator<?> elements;
    private final Opening opening;
    private final Troubles troubles;
    private final List<Cell> last = new ArrayList<>();
    private boolean over;

    Elements(Cell.Item item, Iterator<?> elements, Opening opening, Troubles troubles) {
      this.item = item;
      this.elements = elements;
      this.opening = opening;
      this.troubles = troubles;
    }

    @Override
    public boolean hasNext() {
      if (!over) {
        try {
          if (elements.hasNext()) {
            return true;
          }
          over = true;
          last.addAll(nothing(item));
        } catch (Throwable e) {
          fail(e);
        }
      }
      return !last.isEmpty();
    }

    @Override
    public Cell next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      if (over) {
        return last.removeFirst();
      }
      try {
        @Nullable Object element = elements.next();
        item.origins().forEach(Origin::more);
        return item.becoming(new Content.Value(element));
      } catch (Throwable e) {
        fail(e);
        return last.isEmpty()
            ? new Cell.Dropped(item.epoch(), List.of(), List.of())
            : last.removeFirst();
      }
    }

    private void fail(Throwable thrown) {
      over = true;
      last.addAll(troubles.settle(item, opening.trouble(item, null, thrown, false)));
    }
  }

  private static final class Batching implements Operator {
    private final int size;
    private final List<Cell.Item> items = new ArrayList<>();

    Batching(int size) {
      this.size = size;
    }

    @Override
    public Iterator<? extends Cell> apply(Cell.Item item) {
      items.add(item);
      return items.size() < size ? Collections.emptyIterator() : take().iterator();
    }

    @Override
    public List<Cell> end(long epoch) {
      return items.isEmpty() ? List.of() : take();
    }

    @Override
    public void discard() {
      items.forEach(CellQueue::drop);
      items.clear();
    }

    private List<Cell> take() {
      Cell.Item first = items.getFirst();
      List<Origin> origins = items.stream().flatMap(item -> item.origins().stream()).toList();
      Content content = new Content.Batch(items.stream().map(Cell.Item::content).toList());
      items.clear();
      return List.of(new Cell.Item(first.epoch(), first.index(), content, origins));
    }
  }
}
