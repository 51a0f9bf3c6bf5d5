package dev.holdfast.acceptance.iterate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.HoldfastFailure;
import dev.holdfast.arena.HoldfastInterruptedException;
import dev.holdfast.loader.Lease;
import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.SubprocessOptions;
import dev.holdfast.loader.WorkerDiedException;
import dev.holdfast.loader.WorkerFailedException;
import dev.holdfast.loader.WorkerOutput;
import dev.holdfast.loader.WorkerSource;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamException;
import java.io.PrintStream;
import java.io.Serializable;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** User code that fails where it is called in passing: by a restore, by a log, by a clean-up. */
@SuppressWarnings("InfiniteRecursion") // hostile on purpose
@ExtendWith(Leftovers.class)
@Timeout(300)
final class HostileCodeTest {
  private static final int UNITS = 8;

  /** What the code of an item does where it is restored. */
  private enum Restoring {
    THROWS {
      @Override
      Object resolve() {
        throw new IllegalStateException("thrown");
      }
    },
    THROWS_AN_ERROR {
      @Override
      Object resolve() {
        throw new AssertionError("thrown");
      }
    },
    THROWS_WHAT_HAS_NO_TEXT {
      @Override
      Object resolve() throws ObjectStreamException {
        throw new Speechless();
      }
    },
    THROWS_AN_ERROR_WITHOUT_TEXT {
      @Override
      Object resolve() {
        throw new SpeechlessError();
      }
    },
    NEVER_RETURNS {
      @Override
      Object resolve() throws ObjectStreamException {
        return List.of(resolve());
      }
    },
    THROWS_A_CHECKED_ONE {
      @Override
      Object resolve() {
        throw Feeds.<RuntimeException>sneak(new InterruptedException("thrown"));
      }
    };

    abstract Object resolve() throws ObjectStreamException;
  }

  private static final class Speechless extends ObjectStreamException {
    private static final long serialVersionUID = 1L;

    @Override
    public String getMessage() {
      throw new IllegalStateException("message");
    }

    @Override
    public String toString() {
      throw new IllegalStateException("text");
    }
  }

  @SuppressWarnings("OverrideThrowableToString") // odd on purpose
  private static final class SpeechlessError extends Error {
    private static final long serialVersionUID = 1L;

    @Override
    public String getMessage() {
      throw new InternalError("message");
    }

    @Override
    public synchronized Throwable getCause() {
      throw new InternalError("cause");
    }

    @Override
    public String toString() {
      throw new InternalError("text");
    }
  }

  private record Restored(Restoring restoring) implements Serializable {
    private static final long serialVersionUID = 1L;

    private Object readResolve() throws ObjectStreamException {
      return restoring.resolve();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whateverARestoreThrowsTakesItsItemsPlaceAndGivesItsUnitBack(boolean withArena) {
    Restoring[] kinds = Restoring.values();
    WorkerSource<Object> source =
        Feeds.counting(
            4 * kinds.length,
            index ->
                index % 2 == 0
                    ? List.of(new byte[5000], new Restored(kinds[index / 2 % kinds.length]))
                    : index);
    try (SubprocessIterable<Object> items =
        Subprocess.iterate(source, Feeds.options(withArena).build())) {
      Iterator<Lease<Object>> leases = items.leases().iterator();
      for (int index = 0; index < 4 * kinds.length; index += 2) {
        Restoring kind = kinds[index / 2 % kinds.length];
        assertTrue(leases.hasNext());
        WorkerFailedException failed =
            assertThrows(WorkerFailedException.class, leases::next, kind::name);
        assertEquals((long) index, failed.facts().get("index"), kind::name);
        assertFalse(failed.facts().get("reason").toString().isEmpty(), kind::name);
        try (Lease<Object> next = leases.next()) {
          assertEquals(index + 1, next.item());
        }
      }
      assertFalse(leases.hasNext());
      items.arena().ifPresent(arena -> assertEquals(0, arena.stats().held()));
    }
  }

  /** What the code of an item does to the thread that sends it. */
  enum Sending {
    INTERRUPTS,
    THROWS_AN_INTERRUPT_OF_OURS,
    HAS_NO_TEXT
  }

  private static final class SentObject implements Serializable {
    private static final long serialVersionUID = 1L;

    private final Sending sending;

    SentObject(Sending sending) {
      this.sending = sending;
    }

    private void writeObject(ObjectOutputStream out) throws IOException {
      switch (sending) {
        case INTERRUPTS -> Thread.currentThread().interrupt();
        case THROWS_AN_INTERRUPT_OF_OURS ->
            throw new HoldfastInterruptedException(FailureDetail.of("not by us"));
        case HAS_NO_TEXT -> throw new SpeechlessError();
      }
      out.defaultWriteObject();
    }
  }

  /** Into a channel that is full most of the time, so that the worker has to wait behind it. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anItemThatInterruptsItsSenderIsSentAndItsPassCanBeLeft(boolean withArena) {
    WorkerSource<Object> source =
        Feeds.counting(
            UNITS, index -> List.of(new byte[5000], new SentObject(Sending.INTERRUPTS), index));
    try (SubprocessIterable<Object> items =
        Subprocess.iterate(source, Feeds.options(withArena).bufferSize(1).build())) {
      for (int pass = 0; pass < 3; pass++) {
        Iterator<Object> iterator = items.iterator();
        for (int index = 0; index < 3; index++) {
          Deadlines.pause(Duration.ofMillis(30));
          assertEquals(index, ((List<?>) iterator.next()).get(2));
        }
      }
      assertEquals(UNITS, Feeds.all(items).size());
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Sending.class,
      names = {"THROWS_AN_INTERRUPT_OF_OURS", "HAS_NO_TEXT"})
  void anItemWhoseCodeThrowsOddThingsFailsInItsPlace(Sending sending) {
    WorkerSource<Object> source =
        Feeds.counting(3, index -> index == 1 ? new SentObject(sending) : index);
    try (SubprocessIterable<Object> items =
        Subprocess.iterate(source, Feeds.options(true).build())) {
      Iterator<Object> iterator = items.iterator();
      assertEquals(0, iterator.next());
      RuntimeException failed = assertThrows(RuntimeException.class, iterator::next);
      assertEquals(1L, assertInstanceOf(HoldfastFailure.class, failed).facts().get("index"));
      assertEquals(2, iterator.next());
      assertFalse(iterator.hasNext());
    }
  }

  /** An iterator that cannot be closed, in a way of its own in each pass. */
  private static final class Unclosable implements Iterator<Integer>, AutoCloseable {
    private final int pass;
    private int next;

    Unclosable(int pass) {
      this.pass = pass;
    }

    @Override
    public boolean hasNext() {
      return next < 2;
    }

    @Override
    public Integer next() {
      return 10 * pass + next++;
    }

    @Override
    public void close() {
      switch (pass) {
        case 0 -> throw new IllegalStateException("not closed");
        case 1 -> throw new AssertionError("not closed");
        case 2 -> throw new SpeechlessError();
        default -> throw Feeds.<RuntimeException>sneak(new Speechless());
      }
    }
  }

  private static WorkerSource<Integer> unclosable() {
    return _ ->
        new Iterable<>() {
          private int passes;

          @Override
          public Iterator<Integer> iterator() {
            return new Unclosable(passes++);
          }
        };
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anIteratorThatCannotBeClosedIsNoErrorOfItsPass(boolean withArena) {
    try (SubprocessIterable<Integer> items =
        Subprocess.iterate(unclosable(), Feeds.options(withArena).build())) {
      for (int pass = 0; pass < 5; pass++) {
        assertEquals(List.of(10 * pass, 10 * pass + 1), Feeds.all(items));
      }
    }
  }

  /** It throws on the thread alone that copies to it, so that no other test's words are lost. */
  @Test
  void anOutputOfTheParentThatThrowsHoldsNoWorkerUpAndItsLastWordsAreKept() {
    PrintStream before = System.err;
    System.setErr(
        new PrintStream(before) {
          @Override
          public void write(byte[] bytes, int offset, int length) {
            if (Thread.currentThread().getName().startsWith("holdfast-worker-")) {
              throw new SpeechlessError();
            }
            before.write(bytes, offset, length);
          }
        });
    try {
      SubprocessOptions options =
          Feeds.options(false).standardError(WorkerOutput.inherit()).build();
      WorkerSource<Integer> source =
          Feeds.counting(
              3,
              index -> {
                System.err.println("words ".repeat(100_000));
                if (index == 2) {
                  System.err.println("the last ones");
                  Runtime.getRuntime().halt(4);
                }
                return index;
              });
      try (SubprocessIterable<Integer> items = Subprocess.iterate(source, options)) {
        Iterator<Integer> iterator = items.iterator();
        assertEquals(0, iterator.next());
        assertEquals(1, iterator.next());
        WorkerDiedException died = assertThrows(WorkerDiedException.class, iterator::next);
        assertTrue(died.facts().get("lastLines").toString().endsWith("the last ones"));
      }
    } finally {
      System.setErr(before);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anExitBeforeItIsReadyIsADeathThatNamesTheCommand(boolean orderly) {
    SubprocessOptions options =
        Feeds.options(true)
            .initializer(
                _ -> {
                  if (orderly) {
                    System.exit(0);
                  }
                  Runtime.getRuntime().halt(0);
                })
            .build();
    WorkerDiedException died =
        assertThrows(
            WorkerDiedException.class,
            () -> Subprocess.iterate(Feeds.counting(1, index -> index), options));
    assertEquals(0, died.facts().get("exit"));
    assertTrue(died.facts().get("command").toString().contains("java"), died::toString);
  }

  @Test
  void aSourceWhoseOwnCodeThrowsOddThingsIsRefusedBeforeAProcessIsStarted() {
    for (Sending sending : List.of(Sending.HAS_NO_TEXT, Sending.THROWS_AN_INTERRUPT_OF_OURS)) {
      SentObject captured = new SentObject(sending);
      WorkerSource<Map<String, Object>> source = _ -> List.of(Map.of("captured", captured));
      SubprocessOptions options =
          SubprocessOptions.builder().workingDirectory(Path.of("/missing")).build();
      RuntimeException refused =
          assertThrows(RuntimeException.class, () -> Subprocess.iterate(source, options));
      assertFalse(refused instanceof WorkerDiedException, refused::toString);
    }
  }
}
