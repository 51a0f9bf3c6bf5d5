package dev.holdfast.arena.internal.life;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;

final class UnitHoldTest {

  /** A unit whose storage can be given back only where there is more heap. */
  private static final class Exhausted extends Owned {
    private final AtomicInteger released = new AtomicInteger();

    @Override
    public long unit() {
      return 7;
    }

    @Override
    protected String arena() {
      return "none";
    }

    @Override
    protected void holding(HolderKind newKind, long sinceMillis) {}

    @Override
    protected void released() {
      released.incrementAndGet();
      throw new OutOfMemoryError("of the closer");
    }

    @Override
    protected void leaked() {}
  }

  /** What the closer complains of. */
  private static final class Complaints extends Handler {
    private final List<String> texts = new CopyOnWriteArrayList<>();

    @Override
    public void publish(LogRecord record) {
      texts.add(record.getMessage() + ": " + record.getThrown());
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  /** Refuses until its pauses are longer than those of whoever was handed over with it. */
  private static final class Last extends Closer.Task {
    private final CountDownLatch done = new CountDownLatch(1);
    private int refusals = 5;

    @Override
    protected boolean run() {
      if (refusals-- > 0) {
        return false;
      }
      done.countDown();
      return true;
    }
  }

  @Test
  void holdWhoseEndFindsNoHeapRetiresOnce() throws Exception {
    java.util.logging.Logger log = java.util.logging.Logger.getLogger("dev.holdfast.arena");
    Complaints complaints = new Complaints();
    log.addHandler(complaints);
    try (Arena memory = Arena.ofConfined()) {
      Closer.start();
      Exhausted unit = new Exhausted();
      UnitHold hold = UnitHold.of(unit, memory.allocate(8));
      MemorySegment view = hold.segment();
      Last last = new Last();
      hold.close();
      Closer.submit(last);
      assertTrue(last.done.await(60, TimeUnit.SECONDS));
      assertFalse(view.scope().isAlive());
      assertEquals(1, unit.released.get());
      assertEquals(List.of(), complaints.texts);
    } finally {
      log.removeHandler(complaints);
    }
  }
}
