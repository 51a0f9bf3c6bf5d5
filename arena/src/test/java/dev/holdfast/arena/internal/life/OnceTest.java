package dev.holdfast.arena.internal.life;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class OnceTest {

  @Test
  void whatCouldNotBeMadeIsTriedAgainAndWhatWasMadeStays() {
    AtomicInteger tries = new AtomicInteger();
    Once<Object> once =
        new Once<>(
            () -> {
              if (tries.incrementAndGet() < 3) {
                throw new OutOfMemoryError("unable to create native thread");
              }
              return new Object();
            });
    assertThrows(OutOfMemoryError.class, once::get);
    assertThrows(OutOfMemoryError.class, once::get);
    Object made = once.get();
    assertSame(made, once.get());
    assertEquals(3, tries.get());
  }

  @Test
  void manyThreadsGetTheSame() throws InterruptedException, ExecutionException {
    AtomicInteger made = new AtomicInteger();
    Once<Integer> once = new Once<>(made::incrementAndGet);
    List<FutureTask<Integer>> tasks = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      FutureTask<Integer> task = new FutureTask<>(once::get);
      Thread.ofPlatform().daemon().start(task);
      tasks.add(task);
    }
    for (FutureTask<Integer> task : tasks) {
      assertEquals(1, task.get());
    }
  }
}
