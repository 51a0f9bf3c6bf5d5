package dev.holdfast.cli.bench;

import dev.holdfast.cli.text.Sizes;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a run found, as reports and the JSON document have it.
 *
 * @param machine where it ran
 * @param outcomes what came of the cells that gave an answer, in their order
 * @param targets which targets hold, when that was asked for
 * @param failure why a cell gave no answer or a wrong one, if one did
 */
public record BenchReport(
    Machine machine,
    List<CellOutcome> outcomes,
    List<TargetLine> targets,
    @Nullable CellFailedException failure) {

  /**
   * Makes the report.
   *
   * @param machine where it ran
   * @param outcomes what came of the cells, in their order
   * @param targets which targets hold, or none
   * @param failure the first failure, or null
   */
  public BenchReport {
    outcomes = List.copyOf(outcomes);
    targets = List.copyOf(targets);
  }

  /**
   * Returns the results of one measure, in their order.
   *
   * @param measure the measure
   * @return the results
   */
  List<CellResult> results(CellSpec.Measure measure) {
    return outcomes.stream()
        .filter(CellResult.class::isInstance)
        .map(CellResult.class::cast)
        .filter(result -> result.cell().measure() == measure)
        .toList();
  }

  /**
   * Returns the facts that all cells share.
   *
   * @return the facts as people read them, in their order
   */
  Map<String, String> facts() {
    Map<String, String> facts = new LinkedHashMap<>(machine.facts());
    String segments = segments();
    if (!segments.isEmpty()) {
      facts.put("pool", segments);
    }
    return facts;
  }

  /** Says how many segments the cells' pools have, and for which sizes where that differs. */
  private String segments() {
    SortedMap<Integer, SortedSet<Long>> sizes = new TreeMap<>();
    for (CellOutcome outcome : outcomes) {
      CellSpec cell = outcome.cell();
      sizes.computeIfAbsent(cell.segments(), _ -> new TreeSet<>()).add(cell.sizeBytes());
    }
    return sizes.entrySet().stream()
        .map(entry -> entry.getKey() + " segments" + of(sizes.size() > 1, entry.getValue()))
        .collect(Collectors.joining(", "));
  }

  private static String of(boolean said, Collection<Long> sizes) {
    return said
        ? sizes.stream().map(Sizes::format).collect(Collectors.joining(" and ", " of ", ""))
        : "";
  }

  /**
   * Returns the JSON document.
   *
   * @return the fields: {@code machine}, {@code cells}, {@code waits}, {@code latencies} and, when
   *     they were asked for, {@code targets}
   */
  public Map<String, Object> toJson() {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("machine", machine.toJson());
    document.put("cells", select(CellSpec.Measure.THROUGHPUT));
    document.put("waits", select(CellSpec.Measure.WAIT));
    document.put("latencies", select(CellSpec.Measure.LATENCY));
    if (!targets.isEmpty()) {
      document.put("targets", targets.stream().map(TargetLine::toJson).toList());
    }
    return document;
  }

  private List<Map<String, Object>> select(CellSpec.Measure measure) {
    return outcomes.stream()
        .filter(outcome -> outcome.cell().measure() == measure)
        .map(CellOutcome::toJson)
        .toList();
  }

  /**
   * Returns whether a target was missed.
   *
   * @return false also when nobody asked for targets
   */
  public boolean missedTarget() {
    return !targets.stream().allMatch(TargetLine::holds);
  }

  /**
   * Throws the failure, if there is one.
   *
   * @throws CellFailedException when a cell gave no answer or a wrong one
   */
  public void throwFailure() {
    if (failure != null) {
      throw failure;
    }
  }
}
