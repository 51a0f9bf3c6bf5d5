package dev.holdfast.loader.internal.pipeline;

import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.payload.Tensor;
import dev.holdfast.loader.pipeline.StageFailedException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.MemorySegment.Scope;
import java.nio.Buffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds results that alias an input whose lease has ended: the scopes of all their memory are
 * collected before the end, and one that is not alive afterwards was the input's.
 */
final class Aliases {
  private final List<Scope> scopes = new ArrayList<>();

  private Aliases() {}

  /** Collects the scopes in a result, before the input ends. */
  static Aliases in(@Nullable Object result) {
    Aliases aliases = new Aliases();
    var _ = ObjectWalk.find("result", result, (object, _) -> aliases.note(object));
    return aliases;
  }

  private boolean note(Object object) {
    switch (object) {
      case MemorySegment segment -> add(segment);
      case Buffer buffer -> {
        if (buffer.isDirect()) {
          add(MemorySegment.ofBuffer(buffer));
        }
      }
      case Tensor tensor -> {
        if (tensor.location() == Tensor.Location.HOST) {
          add(tensor.segment());
        }
      }
      default -> {
        // the walk goes on into it
      }
    }
    return false;
  }

  private void add(MemorySegment segment) {
    if (segment.isNative()) {
      scopes.add(segment.scope());
    }
  }

  /**
   * Looks again after the input has ended.
   *
   * @throws StageFailedException when the result aliases it
   */
  void check(String stage, long index) {
    for (Scope scope : scopes) {
      if (!scope.isAlive()) {
        throw new StageFailedException(
            FailureDetail.of("a result aliases its input, whose storage has been given back")
                .with("stage", stage)
                .with("index", index)
                .advise("copy what the result needs, or declare the stage with keepsViews()"),
            null);
      }
    }
  }
}
