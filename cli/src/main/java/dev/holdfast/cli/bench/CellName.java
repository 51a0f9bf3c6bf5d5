package dev.holdfast.cli.bench;

import dev.holdfast.cli.text.Sizes;
import dev.holdfast.cli.text.Words;

/** How cells are called, in all reports alike. */
final class CellName {
  private CellName() {}

  /**
   * Returns the name of a cell where payload and size stand beside it.
   *
   * @return the transport, and what else tells the cell from others
   */
  static String brief(CellSpec cell) {
    return cell.transport() + details(cell);
  }

  /**
   * Returns the name of a cell that stands alone.
   *
   * @return transport, payload and size, and what else tells the cell from others
   */
  static String full(CellSpec cell) {
    return Words.format(
        "%s %s %s%s",
        cell.transport(), cell.payload().label(), Sizes.format(cell.sizeBytes()), details(cell));
  }

  private static String details(CellSpec cell) {
    String measure =
        switch (cell.measure()) {
          case THROUGHPUT -> "";
          case WAIT -> ", waiting";
          case LATENCY -> ", round trips";
        };
    return (cell.fill() == Fill.IN_PLACE_SHARED ? ", shared fill" : "")
        + (cell.codec() == Codec.JAVA ? ", by Java serialization" : "")
        + (cell.busyThreads() > 0 ? ", beside " + cell.busyThreads() + " busy threads" : "")
        + measure;
  }
}
