package dev.holdfast.loader.internal.worker;

import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.loader.CodecSource;
import dev.holdfast.loader.WorkerInitializer;
import dev.holdfast.loader.WorkerSource;
import java.io.Serializable;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a worker is told when it starts. The fields' names stand in the paths of serialization
 * errors.
 *
 * @param source what to run over
 * @param initializers what to run before
 * @param arena where large binaries go, or null
 * @param codec how items are written
 * @param index which worker this is
 * @param count how many there are
 * @param seed this worker's own seed
 */
public record WorkerSetup(
    WorkerSource<?> source,
    List<WorkerInitializer> initializers,
    @Nullable SharedMemoryArena arena,
    CodecSource codec,
    int index,
    int count,
    long seed)
    implements Serializable {
  private static final long serialVersionUID = 1L;
}
