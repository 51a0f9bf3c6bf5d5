package dev.holdfast.cli.text;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** Lines of cells in columns: the first ones lean left, the others right. */
public final class Table {
  private final int leftColumns;
  private final List<List<String>> rows = new ArrayList<>();

  /**
   * Makes an empty table.
   *
   * @param leftColumns how many columns lean left
   * @param heads the first line
   */
  public Table(int leftColumns, String... heads) {
    this.leftColumns = leftColumns;
    rows.add(List.of(heads));
  }

  /**
   * Adds a line.
   *
   * @param cells as many as there are heads, or fewer
   */
  public void row(String... cells) {
    rows.add(List.of(cells));
  }

  /**
   * Prints all lines.
   *
   * @param target where to
   */
  public void print(PrintStream target) {
    int[] widths = new int[rows.getFirst().size()];
    for (List<String> row : rows) {
      for (int i = 0; i < row.size(); i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < row.size(); i++) {
        String padding = " ".repeat(widths[i] - row.get(i).length());
        line.append(i == 0 ? "" : "  ");
        line.append(i < leftColumns ? row.get(i) + padding : padding + row.get(i));
      }
      target.println(line.toString().stripTrailing());
    }
  }
}
