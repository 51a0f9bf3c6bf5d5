package dev.holdfast.loader.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.testkit.Deadlines;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.junit.jupiter.api.Test;

/** What failed items and failed sources mean. */
final class FailurePolicyTest {

  private static Pipeline<Integer> failingAt(int every) {
    return Pipeline.from(Numbers.below(1000))
        .<Integer>map(
            item -> {
              if (item % every == every - 1) {
                throw new IOException("no " + item);
              }
              return item;
            },
            4)
        .named("picky")
        .<Integer>map(item -> item, 4)
        .<Integer>map(item -> item);
  }

  @Test
  void failEndsThePassAfterAllEarlierItemsAndTheNextOneIsFull() {
    try (PipelineIterable<Integer> pipeline =
        failingAt(100).onFailure(FailurePolicy.fail()).build()) {
      for (int pass = 0; pass < 3; pass++) {
        Iterator<Integer> results = pipeline.iterator();
        for (int i = 0; i < 99; i++) {
          assertEquals(i, results.next());
        }
        assertTrue(results.hasNext());
        StageFailedException failed = assertThrows(StageFailedException.class, results::next);
        assertEquals("picky", failed.facts().get("stage"));
        assertEquals(99L, failed.facts().get("index"));
        assertEquals("99", failed.facts().get("item"));
        assertTrue(failed.getCause() instanceof IOException);
        assertFalse(results.hasNext());
        assertThrows(NoSuchElementException.class, results::next);
      }
    }
  }

  /** Cannot even say what it is about. */
  private static final class Mute extends RuntimeException {
    private static final long serialVersionUID = 1L;

    @Override
    public String getMessage() {
      throw new AssertionError();
    }
  }

  /** Fails where it is closed, and at its second item. */
  private static final class Closing implements Iterator<Integer>, AutoCloseable {
    private int next;

    @Override
    public boolean hasNext() {
      return true;
    }

    @Override
    public Integer next() {
      if (next == 1) {
        throw new Mute();
      }
      return next++;
    }

    @Override
    public void close() {
      throw new AssertionError("not closed");
    }
  }

  @Test
  void failureThatFailsToBeDescribedIsAFailureLikeAnyOther() throws Exception {
    Iterable<Integer> source = Closing::new;
    try (PipelineIterable<Integer> pipeline =
        Pipeline.from(source)
            .<Integer>map(
                item -> {
                  throw new Mute();
                })
            .build()) {
      for (int pass = 1; pass <= 2; pass++) {
        Iterator<Integer> results = pipeline.iterator();
        StageFailedException failed =
            Deadlines.within(
                "the failure",
                Deadlines.GENEROUS,
                () -> assertThrows(StageFailedException.class, results::next));
        assertEquals("source", failed.facts().get("stage"));
        assertEquals(pass, pipeline.stats().failed());
      }
    }
  }

  @Test
  void limitIsCountedAnewInEachPass() {
    try (PipelineIterable<Integer> pipeline =
        failingAt(100).onFailure(FailurePolicy.dropUpTo(10)).build()) {
      for (int pass = 1; pass <= 3; pass++) {
        assertEquals(990, Numbers.pass(pipeline).size());
        assertEquals(10L * pass, pipeline.stats().failed());
      }
    }
    try (PipelineIterable<Integer> pipeline =
        failingAt(100).onFailure(FailurePolicy.dropUpTo(9)).build()) {
      List<Integer> taken = new ArrayList<>();
      Iterator<Integer> results = pipeline.iterator();
      StageFailedException failed =
          assertThrows(StageFailedException.class, () -> results.forEachRemaining(taken::add));
      assertEquals(990, taken.size());
      assertEquals(10L, failed.facts().get("failedInPass"));
    }
  }

  @Test
  void sourceThatFailsEndsThePassAfterItsItems() {
    IllegalStateException reason = new IllegalStateException("dry");
    Iterable<Integer> source =
        () ->
            new Iterator<>() {
              private int next;

              @Override
              public boolean hasNext() {
                if (next == 50) {
                  throw reason;
                }
                return true;
              }

              @Override
              public Integer next() {
                return next++;
              }
            };
    try (PipelineIterable<Integer> pipeline =
        Pipeline.from(source).<Integer>map(item -> item, 4).build()) {
      for (int pass = 0; pass < 2; pass++) {
        Iterator<Integer> results = pipeline.iterator();
        for (int i = 0; i < 50; i++) {
          assertEquals(i, results.next());
        }
        StageFailedException failed = assertThrows(StageFailedException.class, results::next);
        assertEquals("source", failed.facts().get("stage"));
        assertSame(reason, failed.getCause());
      }
    }
  }

  // B200
  @Test
  void sourceThatWaitsForEverIsInterruptedWhenItsPassIsLeft() {
    Iterable<Integer> source =
        () ->
            new Iterator<>() {
              private int next;

              @Override
              public boolean hasNext() {
                return true;
              }

              @Override
              public Integer next() {
                if (next == 5) {
                  try {
                    Thread.sleep(3_600_000);
                  } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                  }
                }
                return next++;
              }
            };
    try (PipelineIterable<Integer> pipeline =
        Pipeline.from(source).<Integer>map(item -> item).build()) {
      for (int pass = 0; pass < 10; pass++) {
        assertEquals(Numbers.listBelow(5), Numbers.some(pipeline, 5));
      }
      assertEquals(0, pipeline.stats().failed());
    }
  }

  @Test
  void errorsOfFunctionsAreFailuresToo() {
    try (PipelineIterable<Integer> pipeline =
        Pipeline.from(Numbers.below(3))
            .<Integer>map(
                item -> {
                  throw new StackOverflowError();
                })
            .build()) {
      assertEquals(List.of(), Numbers.pass(pipeline));
      assertEquals(3, pipeline.stats().failed());
    }
  }
}
