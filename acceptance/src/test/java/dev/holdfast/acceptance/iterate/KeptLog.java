package dev.holdfast.acceptance.iterate;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** What the arenas of this process log, as a reader sees it. Thread-safe. */
final class KeptLog extends Handler {
  private static final Logger LOGGER = Logger.getLogger("dev.holdfast.arena");

  private final List<String> texts = new CopyOnWriteArrayList<>();

  private KeptLog(Level lowest) {
    setLevel(lowest);
  }

  /** Begins to keep records of a level and those above it, for as long as this process lives. */
  static KeptLog from(Level lowest) {
    KeptLog kept = new KeptLog(lowest);
    LOGGER.addHandler(kept);
    return kept;
  }

  /** Returns the texts that begin so, in their order. */
  List<String> beginningWith(String prefix) {
    return texts.stream().filter(text -> text.startsWith(prefix)).toList();
  }

  @Override
  public void publish(LogRecord record) {
    if (isLoggable(record)) {
      texts.add(new SimpleFormatter().formatMessage(record));
    }
  }

  @Override
  public void flush() {
    // there is nothing between
  }

  @Override
  public void close() {
    // there is nothing to close
  }
}
