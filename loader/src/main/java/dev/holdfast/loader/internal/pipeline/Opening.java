package dev.holdfast.loader.internal.pipeline;

import dev.holdfast.arena.ArenaClosedException;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.arena.internal.life.Logs;
import dev.holdfast.loader.Lease;
import dev.holdfast.loader.pipeline.StageFailedException;
import java.lang.System.Logger;
import org.jspecify.annotations.Nullable;

/** Opens the inputs of a stage's function and counts how that goes. */
final class Opening {
  private static final Logger LOG = Logs.of("dev.holdfast.loader");

  /** A stage's function. */
  @FunctionalInterface
  interface Work {
    /** Works on an item. */
    @Nullable Object apply(@Nullable Object item) throws Exception;
  }

  /** What came of an item: a value or a trouble. */
  record Outcome(@Nullable Object value, @Nullable Trouble trouble) {}

  private final String stage;
  private final ViewScope scope;
  private final StageFigures figures;

  Opening(String stage, ViewScope scope, StageFigures figures) {
    this.stage = stage;
    this.scope = scope;
    this.figures = figures;
  }

  /** Opens an item, calls the function, and ends the item's views. */
  Outcome work(Cell.Item item, Work work) {
    boolean unopened = item.content().isUnopened();
    boolean opened = false;
    @Nullable Object input = null;
    try {
      Lease<@Nullable Object> lease = item.content().open(scope);
      opened = true;
      @Nullable Object result;
      @Nullable Aliases aliases = null;
      boolean worked = false;
      try {
        input = lease.item();
        result = work.apply(input);
        if (unopened && scope == ViewScope.CONFINED) {
          aliases = Aliases.in(result);
        }
        worked = true;
      } finally {
        end(lease, worked);
      }
      if (aliases != null) {
        aliases.check(stage, item.index());
      }
      return new Outcome(result, null);
    } catch (Stopped e) {
      throw e;
    } catch (StageFailedException e) {
      return new Outcome(null, trouble(item, input, e, true));
    } catch (Throwable e) {
      // with the arena of its binaries all items are lost, and not this one alone
      boolean always = !opened && e instanceof ArenaClosedException;
      return new Outcome(null, trouble(item, input, e, always));
    }
  }

  private static void end(Lease<?> lease, boolean worked) {
    try {
      lease.close();
    } catch (RuntimeException e) {
      if (worked) {
        throw e;
      }
      LOG.log(Logger.Level.DEBUG, "the input of a failed stage function could not be ended", e);
    }
  }

  /** Describes a failure. */
  Trouble trouble(Cell.Item item, @Nullable Object input, Throwable thrown, boolean always) {
    figures.failed();
    return new Trouble(stage, item.index(), ItemText.of(input), thrown, always);
  }
}
