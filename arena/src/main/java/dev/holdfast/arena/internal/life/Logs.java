package dev.holdfast.arena.internal.life;

import java.lang.System.Logger;
import java.util.ResourceBundle;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Loggers that never throw. Where a record goes is the user's code, and it may fail, as may the
 * making of the text when there is no heap: that must end none of our threads, skip no step of a
 * clean-up, and hide no first error.
 */
public final class Logs {
  private Logs() {}

  /**
   * Returns the logger of a name. The levels are made here: made for the first time in a full heap,
   * their class would be of no use any more, and every report would throw.
   */
  public static Logger of(String name) {
    var _ = Logger.Level.valueOf("WARNING");
    return new Quiet(System.getLogger(name));
  }

  private record Quiet(Logger logger) implements Logger {

    @Override
    public String getName() {
      return logger.getName();
    }

    @Override
    public boolean isLoggable(Level level) {
      try {
        return logger.isLoggable(level);
      } catch (RuntimeException | Error e) {
        return false;
      }
    }

    @Override
    public void log(
        Level level,
        @Nullable ResourceBundle bundle,
        @Nullable String message,
        @Nullable Throwable thrown) {
      try {
        logger.log(level, bundle, message, thrown);
      } catch (RuntimeException | Error e) {
        lost();
      }
    }

    @Override
    public void log(
        Level level,
        @Nullable ResourceBundle bundle,
        @Nullable String format,
        @Nullable Object @Nullable ... parameters) {
      try {
        logger.log(level, bundle, format, parameters);
      } catch (RuntimeException | Error e) {
        lost();
      }
    }

    @Override
    public void log(Level level, Supplier<String> message) {
      try {
        logger.log(level, message);
      } catch (RuntimeException | Error e) {
        lost();
      }
    }

    @Override
    public void log(Level level, Supplier<String> message, @Nullable Throwable thrown) {
      try {
        logger.log(level, message, thrown);
      } catch (RuntimeException | Error e) {
        lost();
      }
    }

    /** There is nowhere to say it. */
    private static void lost() {
      Thread.onSpinWait();
    }
  }
}
