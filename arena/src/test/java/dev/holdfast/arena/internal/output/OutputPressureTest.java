package dev.holdfast.arena.internal.output;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.testkit.Deadlines;
import java.time.Duration;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class OutputPressureTest {
  private static final long SECOND = 1_000_000_000L;

  private final AtomicInteger woken = new AtomicInteger();
  private final OutputPressure pressure = new OutputPressure(100, woken::incrementAndGet);
  private long now = System.nanoTime();

  /** Runs a collection that finds all outputs of some epochs, and lets it settle. */
  private void collect(Runnable found) {
    pressure.collectionBegins();
    now += 5_000_000;
    pressure.collectionEnded(now, () -> true);
    found.run();
    for (int look = 0; look < 2; look++) {
      now += 20_000_000;
      boolean again = pressure.due(now);
      assertFalse(again && look == 0);
    }
  }

  @Test
  void nothingIsDueBelowTheFloor() {
    assertEquals(0, pressure.made(100));
    assertFalse(pressure.due(now));
    assertEquals(0, woken.get());
    assertEquals(0, pressure.made(1));
    assertTrue(pressure.due(now));
    assertEquals(1, woken.get());
    assertEquals(0, pressure.made(1));
    assertEquals(1, woken.get());
  }

  @Test
  void whatSurvivesRaisesTheLimitToItsDouble() {
    int first = pressure.made(150);
    assertTrue(pressure.due(now));
    collect(() -> pressure.ended(30, first));
    assertFalse(pressure.due(now));
    int second = pressure.made(120);
    assertFalse(pressure.due(now));
    assertEquals(first + 1, second);
    assertEquals(second, pressure.made(1));
    assertTrue(pressure.due(now));
  }

  @Test
  void whatIsMadeAfterTheRequestHasNotSurvivedIt() {
    int first = pressure.made(150);
    collect(
        () -> {
          int second = pressure.made(90);
          pressure.ended(150, first);
          assertEquals(first + 1, second);
        });
    assertFalse(pressure.due(now));
    assertEquals(1, pressure.made(11));
    assertTrue(pressure.due(now));
  }

  @Test
  void nothingIsDueWhileTheCleanerWorksOffWhatWasFound() {
    int first = pressure.made(150);
    pressure.collectionBegins();
    pressure.collectionEnded(now, () -> true);
    assertEquals(first + 1, pressure.made(1000));
    for (int i = 0; i < 15; i++) {
      pressure.ended(10, first);
      now += 20_000_000;
      assertFalse(pressure.due(now));
    }
    now += 20_000_000;
    assertTrue(pressure.due(now));
  }

  @Test
  void nothingIsDueUntilTheCleanerHasBegun() {
    boolean[] began = new boolean[1];
    int first = pressure.made(150);
    pressure.collectionBegins();
    pressure.collectionEnded(now, () -> began[0]);
    for (int i = 0; i < 5; i++) {
      now += 50_000_000;
      assertFalse(pressure.due(now));
    }
    began[0] = true;
    pressure.ended(150, first);
    now += 20_000_000;
    assertFalse(pressure.due(now));
    now += 20_000_000;
    assertEquals(first + 1, pressure.made(101));
    assertTrue(pressure.due(now));
  }

  @Test
  void keptOutputsCauseFewerAndFewerRequests() {
    int requests = 0;
    for (int i = 0; i < 100_000; i++) {
      int unused = pressure.made(10);
      now += 1000;
      if (pressure.due(now)) {
        requests++;
        collect(() -> {});
      }
      assertTrue(unused >= 0);
    }
    assertTrue(requests > 5 && requests < 20, "requests: " + requests);
  }

  @Test
  void whoeverMeetsALimitHasOneCollectionAndNoMore() {
    assertFalse(pressure.collectionMayHelp(pressure.epoch()), "there is nothing to find");
    int first = pressure.made(50);
    int met = pressure.epoch();
    assertFalse(pressure.due(now));
    assertTrue(pressure.collectionMayHelp(met));
    assertTrue(pressure.collectionMayHelp(met));
    assertEquals(1, woken.get());
    assertTrue(pressure.due(now));
    pressure.collectionBegins();
    assertTrue(pressure.collectionMayHelp(met), "it is under way");
    pressure.collectionEnded(now, () -> true);
    assertTrue(pressure.collectionMayHelp(met), "the cleaner is at work");
    now += 20_000_000;
    assertFalse(pressure.due(now));
    assertFalse(pressure.collectionMayHelp(met), "it has not helped");
    pressure.ended(50, first);
    assertFalse(pressure.due(now));
  }

  @Test
  void longAgoSurvivorsAreForgottenWithTheirOutputs() {
    int first = pressure.made(100_000);
    assertTrue(pressure.due(now));
    collect(() -> {});
    assertFalse(pressure.due(now));
    pressure.ended(100_000, first);
    int second = pressure.made(150);
    assertFalse(pressure.due(now));
    now += 11 * SECOND;
    assertFalse(pressure.due(now));
    assertEquals(second, pressure.made(151));
    assertTrue(pressure.due(now));
  }

  @Test
  void whoeverNeedsFreshMemoryWaitsForRelief() throws Exception {
    int first = pressure.made(301);
    FutureTask<Long> waiting =
        Deadlines.start(
            "maker",
            () -> {
              long start = System.nanoTime();
              while (System.nanoTime() - start < 30 * SECOND) {
                long slice = System.nanoTime();
                pressure.awaitRelief();
                if (System.nanoTime() - slice < 50_000_000) {
                  break; // relieved, and not at the end of its patience
                }
              }
              return System.nanoTime();
            });
    Deadlines.pause(Duration.ofMillis(250));
    assertFalse(waiting.isDone());
    pressure.ended(1, first);
    long relieved = System.nanoTime();
    assertTrue(Deadlines.result(waiting) - relieved < 10 * SECOND);
  }

  @Test
  void waitForReliefEndsByItself() {
    int unused = pressure.made(10_000);
    long start = System.nanoTime();
    pressure.awaitRelief();
    assertTrue(System.nanoTime() - start >= 100_000_000, "epoch " + unused);
  }

  @Test
  void interruptEndsTheWaitAndStays() {
    int unused = pressure.made(10_000);
    Thread.currentThread().interrupt();
    pressure.awaitRelief();
    assertTrue(Thread.interrupted(), "epoch " + unused);
  }
}
