package dev.holdfast.arena.internal.inspect;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An arena that processes map, or a file of one.
 *
 * @param place the memfd's label or the file's path
 * @param byteSize its size
 * @param pids the processes that map it, as far as they were looked at
 * @param arena what its words say, or null when they could not be read
 * @param failure why they could not, or null
 */
public record FoundArena(
    String place,
    long byteSize,
    List<Long> pids,
    @Nullable ArenaView arena,
    @Nullable String failure) {

  public FoundArena {
    pids = List.copyOf(pids);
  }
}
