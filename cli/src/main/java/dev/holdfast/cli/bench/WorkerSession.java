package dev.holdfast.cli.bench;

import dev.holdfast.arena.ViewScope;
import dev.holdfast.loader.Lease;
import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.SubprocessOptions;
import dev.holdfast.loader.WorkerSource;
import java.util.OptionalLong;
import java.util.function.Consumer;

/**
 * Passes over a worker process. COLLECTED cells iterate plainly, the others take and close leases.
 */
final class WorkerSession implements Session {
  private final SubprocessIterable<Object> items;
  private final ViewScope scope;

  private WorkerSession(SubprocessIterable<Object> items, ViewScope scope) {
    this.items = items;
    this.scope = scope;
  }

  static Session start(CellSpec cell, SubprocessOptions.Builder options) {
    return start(cell, new BenchSource(cell), options);
  }

  static Session start(
      CellSpec cell, WorkerSource<Object> source, SubprocessOptions.Builder options) {
    SubprocessOptions built = options.codec(cell.codec().source()).build();
    return new WorkerSession(Subprocess.iterate(source, built), cell.scope());
  }

  @Override
  public void pass(PassPlan plan, Consumer<Object> consumer) {
    if (scope == ViewScope.COLLECTED) {
      items.forEach(consumer);
      return;
    }
    for (Lease<Object> lease : items.leases(scope)) {
      try (lease) {
        consumer.accept(lease.item());
      }
    }
  }

  @Override
  public OptionalLong producerPid() {
    return OptionalLong.of(items.pid());
  }

  @Override
  public long gcRequests() {
    return items.arena().map(arena -> arena.stats().gcRequests()).orElse(0L);
  }

  @Override
  public void close() {
    items.close();
  }
}
