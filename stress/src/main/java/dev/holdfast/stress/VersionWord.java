package dev.holdfast.stress;

import dev.holdfast.arena.ArenaCorruptedException;
import dev.holdfast.arena.internal.memory.ArenaGeometry;
import dev.holdfast.arena.internal.memory.ArenaLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * The {@code version} of an arena's header is stored behind its other fields and read before them:
 * who finds it reads a whole header.
 */
@JCStressTest
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "no header yet")
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "a version with its header")
@Outcome(expect = Expect.FORBIDDEN, desc = "a version without its header")
@State
public class VersionWord {
  private static final ArenaGeometry WRITTEN = ArenaGeometry.pool(100, 3, 4096);
  private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();

  private final MemorySegment memory =
      MemorySegment.ofArray(new long[(int) ArenaLayout.HEADER_BYTES / Long.BYTES]);

  @Actor
  public void owner() {
    WRITTEN.write(memory);
  }

  /** The first look orders nothing: what it finds, the one that reads the header finds too. */
  @Actor
  public void peer(II_Result result) {
    result.r1 = (int) INT.getOpaque(memory, ArenaLayout.VERSION_OFFSET);
    result.r2 = result.r1 == ArenaLayout.VERSION ? read() : 0;
  }

  private int read() {
    try {
      return ArenaGeometry.read(memory, WRITTEN.fileBytes(), "memory").equals(WRITTEN) ? 1 : 2;
    } catch (ArenaCorruptedException e) {
      return 3;
    }
  }
}
