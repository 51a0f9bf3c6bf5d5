package dev.holdfast.loader.internal.pipeline;

import dev.holdfast.loader.Lease;
import dev.holdfast.loader.WorkerContext;
import dev.holdfast.loader.WorkerSource;
import dev.holdfast.loader.pipeline.PipelineIterable;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * A pipeline that runs in a worker, with its regions' workers as children of that one.
 *
 * @param plan the pipeline
 * @param <T> the type of its results
 */
public record HostedSource<T extends @Nullable Object>(Plan plan) implements WorkerSource<T> {
  private static final long serialVersionUID = 1L;

  @Override
  public Iterable<T> open(WorkerContext context) {
    PipelineIterable<T> pipeline = Launch.inHost(plan, context::stopRequested);
    return () -> new Results<>(pipeline.leases().iterator());
  }

  /** Ends each result when the next one is asked for: it has been sent by then. */
  private static final class Results<T extends @Nullable Object>
      implements Iterator<T>, AutoCloseable {
    private final Iterator<Lease<T>> leases;
    private @Nullable Lease<T> open;

    Results(Iterator<Lease<T>> leases) {
      this.leases = leases;
    }

    @Override
    public boolean hasNext() {
      close();
      return leases.hasNext();
    }

    @Override
    public T next() {
      close();
      Lease<T> lease = leases.next();
      open = lease;
      return lease.item();
    }

    @Override
    public void close() {
      Lease<T> lease = open;
      if (lease != null) {
        open = null;
        lease.close();
      }
    }
  }
}
