package dev.holdfast.loader.internal.pipeline;

import java.util.List;

/** Decides what becomes of an item that failed. Thread-safe. */
public interface Troubles {

  /**
   * Settles a failed item.
   *
   * @param item the item, whose content is gone
   * @param trouble what happened
   * @return what goes on in its place
   */
  List<Cell> settle(Cell.Item item, Trouble trouble);
}
