package dev.holdfast.acceptance.iterate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.loader.RemoteError;
import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.SubprocessOptions;
import dev.holdfast.loader.WorkerFailedException;
import dev.holdfast.testkit.Leftovers;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Exceptions that cannot be sent, printed or even asked. R67 */
@SuppressWarnings({
  "InfiniteRecursion",
  "ThrowableEqualsHashCode",
  "OverrideThrowableToString",
  "ModifiedButNotUsed",
  "EnumOrdinal"
}) // odd on purpose
@ExtendWith(Leftovers.class)
@Timeout(300)
final class OddExceptionsTest {
  private static final int DEEP = 1_000;

  /** Each makes its exception in the worker. */
  private enum Odd {
    FIELD_THAT_CANNOT_CROSS("thrown") {
      @Override
      Throwable make() {
        return new Strange("thrown") {
          private static final long serialVersionUID = 1L;

          @SuppressWarnings({"serial", "unused"})
          private final Object thread = Thread.currentThread();
        };
      }
    },
    MESSAGE_THROWS("message unavailable: java.lang.IllegalStateException") {
      @Override
      Throwable make() {
        return new Strange("hidden") {
          private static final long serialVersionUID = 1L;

          @Override
          public String getMessage() {
            throw new IllegalStateException("no message");
          }
        };
      }
    },
    MESSAGE_NEVER_ENDS("message unavailable: java.lang.StackOverflowError") {
      @Override
      Throwable make() {
        return new Strange("hidden") {
          private static final long serialVersionUID = 1L;

          @Override
          public String getMessage() {
            return getMessage() + ".";
          }
        };
      }
    },
    TEXT_THROWS("text") {
      @Override
      Throwable make() {
        return new Strange("text") {
          private static final long serialVersionUID = 1L;

          @Override
          public String toString() {
            throw new IllegalStateException("no text");
          }
        };
      }
    },
    WRITING_THROWS("written") {
      @Override
      Throwable make() {
        return new Unwritable();
      }
    },
    EVERYTHING_THROWS("message unavailable: java.lang.InternalError") {
      @Override
      Throwable make() {
        return new Hostile();
      }
    },
    CYCLE_OF_CAUSES("first") {
      @Override
      Throwable make() {
        Exception first = new Exception("first");
        Exception second = new Exception("second", first);
        first.initCause(second);
        return first;
      }
    },
    ITS_OWN_CAUSE("own") {
      @Override
      Throwable make() {
        return new Strange("own") {
          private static final long serialVersionUID = 1L;

          @Override
          public synchronized Throwable getCause() {
            return this;
          }
        };
      }
    },
    DEEP_CHAIN("level " + DEEP) {
      @Override
      Throwable make() {
        Exception chain = new Exception("level 0");
        for (int level = 1; level <= DEEP; level++) {
          chain = new Exception("level " + level, chain);
        }
        return chain;
      }
    },
    ENDLESS_CHAIN("endless") {
      @Override
      Throwable make() {
        return new Strange("endless") {
          private static final long serialVersionUID = 1L;

          @Override
          public synchronized Throwable getCause() {
            return make();
          }
        };
      }
    },
    LONG_MESSAGE(null) {
      @Override
      Throwable make() {
        return new IOException("long ".repeat(4 << 20));
      }
    },
    NO_MESSAGE("null") {
      @Override
      Throwable make() {
        return new RuntimeException();
      }
    },
    SUPPRESSED("primary") {
      @Override
      Throwable make() {
        Exception primary = new Exception("primary");
        primary.addSuppressed(new Exception("suppressed", primary));
        primary.addSuppressed(new Hostile());
        for (int i = 0; i < DEEP; i++) {
          primary.addSuppressed(new Exception("suppressed " + i));
        }
        return primary;
      }
    },
    STACK_OVERFLOW("null") {
      @Override
      Throwable make() throws Throwable {
        return endless(0);
      }

      private Throwable endless(int depth) {
        return depth < 0 ? new Error() : endless(depth + 1).getCause();
      }
    },
    OUT_OF_MEMORY("Java heap space") {
      @Override
      Throwable make() {
        List<byte[]> hoard = new ArrayList<>();
        while (true) {
          hoard.add(new byte[8 << 20]);
        }
      }
    },
    ENDING_THE_THREAD("end") {
      @Override
      Throwable make() {
        return new Error("end");
      }
    },
    INITIALIZER("null") {
      @Override
      Throwable make() {
        return new IllegalStateException(Broken.VALUE);
      }
    },
    BROKEN_CLASS("Could not initialize class " + Broken.class.getName()) {
      @Override
      Throwable make() {
        return new IllegalStateException(Broken.VALUE);
      }
    },
    KNOWN_IN_THE_WORKER_ONLY("made here") {
      @Override
      Throwable make() throws Throwable {
        return WorkerOnly.failure("made here");
      }
    },
    INTERRUPTED("interrupted by user code") {
      @Override
      Throwable make() {
        Thread.currentThread().interrupt();
        return new InterruptedException("interrupted by user code");
      }
    },
    OF_A_LAMBDA("from a lambda") {
      @Override
      Throwable make() throws Throwable {
        Feeds.Making<Integer> lambda =
            _ -> {
              throw new Exception("from a lambda");
            };
        return new Error("no " + lambda.item(0));
      }
    };

    /** Null where only its beginning is known. */
    final String message;

    Odd(String message) {
      this.message = message;
    }

    /** Makes it, or throws it. */
    abstract Throwable make() throws Throwable;
  }

  private static class Strange extends Exception {
    private static final long serialVersionUID = 1L;

    Strange(String message) {
      super(message);
    }
  }

  private static final class Unwritable extends Strange {
    private static final long serialVersionUID = 1L;

    Unwritable() {
      super("written");
    }

    private void writeObject(ObjectOutputStream out) {
      throw new IllegalStateException("not written to " + out);
    }
  }

  private static final class Hostile extends Error {
    private static final long serialVersionUID = 1L;

    @Override
    public String getMessage() {
      throw new InternalError("message");
    }

    @Override
    public String getLocalizedMessage() {
      throw new InternalError("localized message");
    }

    @Override
    public synchronized Throwable getCause() {
      throw new InternalError("cause");
    }

    @Override
    public StackTraceElement[] getStackTrace() {
      throw new InternalError("stack");
    }

    @Override
    public String toString() {
      throw new InternalError("text");
    }

    @Override
    public int hashCode() {
      throw new InternalError("hash");
    }

    @Override
    public boolean equals(Object other) {
      throw new InternalError("equals");
    }
  }

  private static final class Broken {
    static final String VALUE = String.valueOf(List.of().getFirst());
  }

  private static Throwable made(Odd odd) {
    try {
      return odd.make();
    } catch (Throwable e) {
      return e;
    }
  }

  private static SubprocessOptions options(boolean withArena) {
    return Feeds.options(withArena).jvmArgs("-Xmx128m").build();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void everyExceptionOfTheSourceArrivesAndTheNextPassWorks(boolean withArena) {
    Odd[] kinds = Odd.values();
    try (SubprocessIterable<Object> items =
        Subprocess.iterate(
            Feeds.passes(
                _ -> 3,
                (pass, index) -> {
                  if (index == 1 && pass % 2 == 0) {
                    throw made(kinds[pass / 2]);
                  }
                  return new byte[5000 + index];
                }),
            options(withArena))) {
      for (Odd odd : kinds) {
        Iterator<Object> failing = items.iterator();
        assertEquals(5000, ((byte[]) failing.next()).length);
        assertFailure(odd, assertThrows(WorkerFailedException.class, failing::next, odd::name));
        assertFalse(failing.hasNext());
        assertEquals(3, Feeds.all(items).size(), odd::name);
      }
    }
  }

  private static void assertFailure(Odd odd, WorkerFailedException failed) {
    RemoteError remote = failed.remote().orElseThrow();
    assertEquals(1L, failed.facts().get("index"), odd::name);
    assertEquals(remote.className(), failed.facts().get("remoteClass"));
    assertTrue(remote.stackTrace().startsWith(remote.className()), remote::stackTrace);
    int length =
        remote.className().length() + remote.message().length() + remote.stackTrace().length();
    assertTrue(length <= RemoteError.LIMIT_CHARS, () -> odd + " has " + length + " characters");
    switch (odd) {
      case LONG_MESSAGE -> {
        assertTrue(remote.message().startsWith("long long "), odd::name);
        assertTrue(remote.message().endsWith("cut"), odd::name);
      }
      case KNOWN_IN_THE_WORKER_ONLY ->
          assertEquals(WorkerOnly.CLASS_NAME, failed.facts().get("remoteClass"));
      case DEEP_CHAIN -> assertTrue(remote.stackTrace().contains("level 800"), remote::stackTrace);
      case CYCLE_OF_CAUSES ->
          assertTrue(remote.stackTrace().contains("second"), remote::stackTrace);
      case SUPPRESSED ->
          assertTrue(remote.stackTrace().contains("suppressed 1"), remote::stackTrace);
      default -> {
        // its message says enough
      }
    }
    if (odd.message != null) {
      assertEquals(odd.message, remote.message(), odd::name);
    }
  }

  /** An item whose serialization throws what the kind makes. */
  private record Throwing(Odd odd) implements Serializable {
    private static final long serialVersionUID = 1L;

    private Object writeReplace() {
      throw Feeds.<RuntimeException>sneak(made(odd));
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void everyExceptionOfAnItemsOwnCodeArrivesInItsPlace(boolean withArena) {
    Odd[] kinds = Odd.values();
    try (SubprocessIterable<Object> items =
        Subprocess.iterate(
            Feeds.counting(
                2 * kinds.length,
                index ->
                    index % 2 == 0
                        ? List.of(new byte[5000], new Throwing(kinds[index / 2]))
                        : index),
            options(withArena))) {
      Iterator<Object> iterator = items.iterator();
      for (Odd odd : kinds) {
        WorkerFailedException failed =
            assertThrows(WorkerFailedException.class, iterator::next, odd::name);
        assertEquals(2L * odd.ordinal(), failed.facts().get("index"), odd::name);
        assertEquals(2 * odd.ordinal() + 1, iterator.next(), odd::name);
      }
      assertFalse(iterator.hasNext());
      items.arena().ifPresent(arena -> assertEquals(kinds.length, arena.stats().published()));
    }
  }

  @Test
  void exceptionOfAnInitializerThatCannotBeRebuiltFailsTheCall() {
    WorkerFailedException failed =
        assertThrows(
            WorkerFailedException.class,
            () ->
                Subprocess.iterate(
                    Feeds.counting(1, index -> index),
                    Feeds.options(true)
                        .initializer(
                            _ -> {
                              throw Feeds.<RuntimeException>sneak(WorkerOnly.failure("not ready"));
                            })
                        .build()));
    assertEquals(WorkerOnly.CLASS_NAME, failed.facts().get("remoteClass"));
    assertEquals("not ready", failed.facts().get("remoteMessage"));
  }
}
