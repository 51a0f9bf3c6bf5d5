package dev.holdfast.arena.internal.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class CopyChoiceTest {
  private static final int BYTES = 1000;
  private static final int TRIAL = 2 * CopyChoice.SAMPLES_OF_EACH;

  /** HotSpot's {@code Tier4InvocationThreshold}, and the 200 and some before it counts. */
  private static final int CALLS_UNTIL_COMPILED = 5_500;

  private final MemorySegment source = MemorySegment.ofArray(new byte[BYTES]);
  private final MemorySegment target = MemorySegment.ofArray(new byte[BYTES]);
  private final Way first = new Way();
  private final Way second = new Way();
  private final CopyChoice choice = new CopyChoice(first, second, () -> first.took + second.took);

  /** A way that takes as long as it is told. */
  private static final class Way implements CopyWay {
    private long nanos;
    private long took;
    private int copies;

    @Override
    public void copy(MemorySegment from, MemorySegment to) {
      took += nanos;
      copies++;
      CopyWay.JVM.copy(from, to);
    }
  }

  /** Copies that often, and returns how many of these went the second way. */
  private int copiesBySecond(int copies) {
    int before = second.copies;
    for (int i = 0; i < copies; i++) {
      choice.copy(source, target);
    }
    return second.copies - before;
  }

  private void takes(long firstNanos, long secondNanos) {
    first.nanos = firstNanos;
    second.nanos = secondNanos;
  }

  @Test
  void nothingIsTriedBeforeTheFirstWayWasCalledOftenEnoughToBeCompiled() {
    takes(100, 10);
    assertEquals(0, copiesBySecond(CopyChoice.COPIES_BEFORE_FIRST_TRIAL));
    assertTrue(first.copies > CALLS_UNTIL_COMPILED, () -> first.copies + " calls");
  }

  @Test
  void theSecondWayIsTakenWhenTheTrialFindsItFaster() {
    takes(100, 90);
    var _ = copiesBySecond(CopyChoice.COPIES_BEFORE_FIRST_TRIAL + TRIAL);
    assertEquals(30, copiesBySecond(30));
  }

  @Test
  void theFirstWayStaysWhereTheSecondIsHardlyFasterOrSlower() {
    for (long secondNanos : List.of(96L, 100L, 2000L)) {
      CopyChoice fresh = new CopyChoice(first, second, () -> first.took + second.took);
      takes(100, secondNanos);
      for (int i = 0; i < CopyChoice.COPIES_BEFORE_FIRST_TRIAL + TRIAL; i++) {
        fresh.copy(source, target);
      }
      int before = second.copies;
      for (int i = 0; i < 30; i++) {
        fresh.copy(source, target);
      }
      assertEquals(before, second.copies, () -> secondNanos + " for 100");
    }
  }

  @Test
  void oneCopyThatWasHeldUpChangesNothing() {
    takes(100, 50);
    var _ = copiesBySecond(CopyChoice.COPIES_BEFORE_FIRST_TRIAL + 1);
    takes(100, 1_000_000);
    assertEquals(1, copiesBySecond(1));
    takes(100, 50);
    var _ = copiesBySecond(TRIAL - 2);
    assertEquals(30, copiesBySecond(30));
  }

  @Test
  void aSlowWayIsTriedEverMoreSeldom() {
    takes(100, 2000);
    int copies = 1_000_000;
    int bySecond = copiesBySecond(copies);
    assertTrue(bySecond <= 30 * CopyChoice.SAMPLES_OF_EACH, () -> bySecond + " of " + copies);
  }

  @Test
  void whatBecomesFasterIsFoundEvenAfterManyCopiesAndLeftAgain() {
    takes(100, 2000);
    var _ = copiesBySecond(1_000_000);
    for (int turn = 0; turn < 2; turn++) {
      takes(100, 50);
      var _ = copiesBySecond(CopyChoice.MOST_COPIES_BEFORE_TRIAL + TRIAL);
      assertEquals(30, copiesBySecond(30));
      takes(100, 200);
      var _ = copiesBySecond(CopyChoice.MOST_COPIES_BEFORE_TRIAL + TRIAL);
      assertEquals(0, copiesBySecond(30));
    }
  }

  @Test
  void whatTheSecondWayCannotCopyTheFirstOneCopiesAndItIsNotTaken() {
    source.fill((byte) 7);
    for (Throwable failure :
        List.<Throwable>of(
            new OutOfMemoryError("planned"),
            new StackOverflowError(),
            new NoClassDefFoundError("planned"),
            new IllegalCallerException("planned"))) {
      target.fill((byte) 0);
      AtomicInteger failures = new AtomicInteger();
      CopyChoice failing =
          new CopyChoice(
              first,
              (from, to) -> {
                failures.incrementAndGet();
                first.nanos = 10; // what is copied instead is quick by chance
                throw unchecked(failure);
              },
              () -> first.took);
      for (int i = 0; i < CopyChoice.COPIES_BEFORE_FIRST_TRIAL + TRIAL + 30; i++) {
        target.fill((byte) 0);
        first.nanos = 100;
        failing.copy(source, target);
        assertEquals(-1, source.mismatch(target));
      }
      assertEquals(CopyChoice.SAMPLES_OF_EACH, failures.get(), "it is not taken");
    }
  }

  private static RuntimeException unchecked(Throwable failure) {
    if (failure instanceof Error error) {
      throw error;
    }
    return (RuntimeException) failure;
  }

  @Test
  void copiesOfTwoKindsThatAlternateAreComparedEachWithItsOwnKind() {
    for (long secondPercent : List.of(80L, 120L)) {
      CopyChoice fresh = new CopyChoice(first, second, () -> first.took + second.took);
      int trialEnd = CopyChoice.COPIES_BEFORE_FIRST_TRIAL + TRIAL;
      for (int i = 0; i < trialEnd; i++) {
        long nanos = i % 2 == 0 ? 100 : 1000;
        takes(nanos, nanos * secondPercent / 100);
        fresh.copy(source, target);
      }
      int before = second.copies;
      fresh.copy(source, target);
      assertEquals(secondPercent < 100 ? before + 1 : before, second.copies);
    }
  }

  @Test
  void threadsThatShareAChoiceEachGetTheirBytes() throws InterruptedException {
    CopyChoice shared = new CopyChoice();
    CountDownLatch start = new CountDownLatch(1);
    List<Thread> threads = new ArrayList<>();
    List<String> wrong = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      byte stamp = (byte) (i + 1);
      threads.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    MemorySegment from = MemorySegment.ofArray(new byte[64 << 10]).fill(stamp);
                    MemorySegment to = MemorySegment.ofArray(new byte[64 << 10]);
                    try {
                      start.await();
                    } catch (InterruptedException e) {
                      throw new AssertionError(e);
                    }
                    for (int copy = 0; copy < 5000; copy++) {
                      to.set(ValueLayout.JAVA_BYTE, copy, (byte) 0);
                      shared.copy(from, to);
                      if (from.mismatch(to) >= 0) {
                        synchronized (wrong) {
                          wrong.add("thread " + stamp + " copy " + copy);
                        }
                      }
                    }
                  }));
    }
    start.countDown();
    for (Thread thread : threads) {
      thread.join();
    }
    assertEquals(List.of(), wrong);
  }
}
