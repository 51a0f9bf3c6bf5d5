package dev.holdfast.arena.internal.life;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.testkit.Deadlines;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
final class EndlessTest {
  private static final long ROUND_NANOS = 20_000_000;

  private final AtomicInteger rounds = new AtomicInteger();

  @Test
  void anInterruptAndAnErrorEndNeitherTheWorkNorItsPauses() throws Exception {
    Thread daemon = Thread.ofPlatform().daemon().start(Endless.of(this::round));
    Deadlines.assertEventually("it works", () -> rounds.get() > 0);
    int before = rounds.get();
    long start = System.nanoTime();
    daemon.interrupt();
    Thread.sleep(300);
    int made = rounds.get() - before;
    long most = (System.nanoTime() - start) / ROUND_NANOS + 3;
    assertTrue(made <= most, "rounds=" + made + " most=" + most);
    Deadlines.assertEventually("it goes on", () -> rounds.get() > before + 3);
    assertTrue(daemon.isAlive());
  }

  private void round() {
    LockSupport.parkNanos(this, ROUND_NANOS);
    rounds.incrementAndGet();
    throw new StackOverflowError("of a round");
  }
}
