package dev.holdfast.arena.internal.life;

import dev.holdfast.arena.ViewScope;
import java.lang.foreign.Arena;

/**
 * Gives something back once that nobody had. The JVM links a place in the code when it is reached
 * for the first time, and needs heap for that: without this, the first unit that is given back in a
 * full heap would be lost.
 */
public final class Rehearsal {
  private static final Once<Rehearsal> DONE = new Once<>(Rehearsal::new);

  /** What nobody uses. */
  private static final class Nothing extends Owned {
    @Override
    public long unit() {
      return 0;
    }

    @Override
    protected String arena() {
      return "none";
    }

    @Override
    protected void holding(HolderKind newKind, long sinceMillis) {}

    @Override
    protected void released() {}

    @Override
    protected void leaked() {}
  }

  private Rehearsal() {
    StackRoom.require();
    Closer.submit(
        new Closer.Task() {
          @Override
          protected boolean run() {
            return true;
          }
        });
    Nothing nothing = new Nothing();
    try (Arena views = Arena.ofConfined()) {
      ViewGuard guard = new ViewGuard(nothing, views.scope(), ViewScope.CONFINED);
      nothing.guardViews(guard);
      guard.end();
    }
    nothing.retire();
  }

  /** Makes sure that giving back works later, whatever lacks then. */
  public static void once() {
    var _ = DONE.get();
  }
}
