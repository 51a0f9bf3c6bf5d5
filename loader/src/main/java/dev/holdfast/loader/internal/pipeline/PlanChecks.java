package dev.holdfast.loader.internal.pipeline;

import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.arena.internal.memory.ArenaGeometry;
import dev.holdfast.loader.pipeline.ArenaSource;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds out about pipelines that could never work, before anything runs. */
public final class PlanChecks {
  /** One more is sent ahead, and they are counted by an int. */
  private static final int MOST_HELD = Integer.MAX_VALUE - 1;

  private PlanChecks() {}

  /**
   * Refuses functions that would take an existing arena to another process, where nobody would be
   * its owner.
   *
   * @throws IllegalArgumentException with the path to it
   */
  public static void noArenaCaptured(Plan plan) {
    for (Step.Region region : plan.regions()) {
      region.region().inputArena().ifPresent(source -> refuse(region.name(), "inputArena", source));
      region
          .region()
          .outputArena()
          .ifPresent(source -> refuse(region.name(), "outputArena", source));
    }
  }

  private static void refuse(String region, String what, ArenaSource source) {
    String path = ObjectWalk.find(what, source, (object, _) -> object instanceof SharedMemoryArena);
    if (path == null && ArenaProbe.finds(source)) {
      path = what; // within an object that is closed to us
    }
    if (path != null) {
      throw new IllegalArgumentException(
          ("an arena that exists cannot cross to the worker that runs the pipeline: region=%s"
                  + " path=%s; make it inside the function")
              .formatted(region, path));
    }
  }

  /**
   * Refuses a pool that the batches behind a region, or in front of the first function inside,
   * would fill before they are whole.
   *
   * @param following the steps that get what lies in the pool
   * @throws IllegalArgumentException naming the arena and the batch
   */
  public static void largeEnough(
      String region, String what, @Nullable SharedMemoryArena arena, List<Step> following) {
    if (!(arena instanceof SharedMemorySegmentPool pool)) {
      return; // a ring keeps nothing, and others do not say how much they hold
    }
    long held = 1;
    for (Step step : following) {
      if (step instanceof Step.Batch(var name, var size)) {
        held *= size;
        if (held > pool.count()) {
          throw new IllegalArgumentException(
              ("an arena is too small for a batch: region=%s %s=%s segments=%d batch=%s"
                      + " unitsHeld=%d; give it more segments")
                  .formatted(region, what, pool.arenaId(), pool.count(), name, held));
        }
      } else if (!(step instanceof Step.Buffer)) {
        return;
      }
    }
  }

  /** Finds arenas by what crosses in their place, wherever they are. */
  private static final class ArenaProbe extends ObjectOutputStream {
    private boolean found;

    private ArenaProbe() throws IOException {
      super(OutputStream.nullOutputStream());
      var _ = enableReplaceObject(true);
    }

    static boolean finds(Object root) {
      try (ArenaProbe probe = new ArenaProbe()) {
        probe.writeObject(root);
        return probe.found;
      } catch (IOException e) {
        return false; // what cannot cross is refused when it is to
      }
    }

    @Override
    protected Object replaceObject(Object object) {
      found |= object instanceof ArenaGeometry;
      return object;
    }
  }

  /**
   * Returns how many inputs the steps of a region may keep before they answer one.
   *
   * @throws IllegalArgumentException naming the batch that makes them too many
   */
  public static int heldInside(Step.Region region) {
    long held = 1;
    for (Step step : region.steps()) {
      if (step instanceof Step.Batch(var name, var size)) {
        held *= size; // of two that are not too large by themselves
        if (held > MOST_HELD) {
          throw new IllegalArgumentException(
              ("a region cannot collect so many inputs: region=%s batch=%s inputs=%d most=%d;"
                      + " use smaller batches")
                  .formatted(region.name(), name, held, MOST_HELD));
        }
      }
    }
    return (int) held;
  }
}
