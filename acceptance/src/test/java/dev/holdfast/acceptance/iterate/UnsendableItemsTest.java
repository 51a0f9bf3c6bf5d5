package dev.holdfast.acceptance.iterate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.HoldfastFailure;
import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.arena.UnitTooLargeException;
import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.WorkerFailedException;
import dev.holdfast.loader.WorkerSource;
import dev.holdfast.testkit.Leftovers;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InvalidObjectException;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Items that cannot cross. R68 */
@SuppressWarnings("UnusedVariable") // fields are there to be serialized
@ExtendWith(Leftovers.class)
@Timeout(300)
final class UnsendableItemsTest {
  private static final int UNITS = 10;
  private static final int BAD = 5;

  /** A payload that lies in the unit before the field that cannot cross is met. */
  private record Sample(String name, ByteBuffer pixels, Label label) implements Serializable {
    private static final long serialVersionUID = 1L;

    Sample(int index, Object owner) {
      this("sample " + index, ByteBuffer.allocate(Feeds.PAYLOAD_BYTES), new Label(index, owner));
    }
  }

  private static final class Label implements Serializable {
    private static final long serialVersionUID = 1L;

    final int number;

    @SuppressWarnings("serial") // what is wrong with it
    final List<Map<String, Object>> owners = new ArrayList<>();

    Label(int number, Object owner) {
      this.number = number;
      owners.add(Map.of("first", "somebody"));
      owners.add(Map.of("second", owner));
    }
  }

  /** Throws when half of 1 MiB is written. */
  private static final class HalfWritten implements Serializable {
    private static final long serialVersionUID = 1L;

    private void writeObject(ObjectOutputStream out) throws IOException {
      for (int i = 0; i < 1024; i++) {
        if (i == 512) {
          throw new IllegalStateException("half is enough");
        }
        out.write(new byte[1024]);
      }
    }
  }

  private static final class Nested implements Serializable {
    private static final long serialVersionUID = 1L;

    final Nested inner;

    Nested(Nested inner) {
      this.inner = inner;
    }

    static Nested deep() {
      Nested nested = null;
      for (int i = 0; i < 100_000; i++) {
        nested = new Nested(nested);
      }
      return nested;
    }
  }

  /** The items that fail, with what their error says. */
  private enum Bad {
    THREAD("java.io.NotSerializableException", "class=java.lang.Thread"),
    OPEN_FILE("java.io.NotSerializableException", "class=java.io.FileInputStream"),
    HALF_WRITTEN("java.io.InvalidObjectException", "half is enough"),
    TOO_DEEP("java.io.InvalidObjectException", "too deeply");

    final String remoteClass;
    final String text;

    Bad(String remoteClass, String text) {
      this.remoteClass = remoteClass;
      this.text = text;
    }

    Object make() throws IOException {
      return switch (this) {
        case THREAD -> new Thread("never started");
        case OPEN_FILE -> openFile();
        case HALF_WRITTEN -> new HalfWritten();
        case TOO_DEEP -> Nested.deep();
      };
    }

    private static InputStream openFile() throws IOException {
      return new FileInputStream("/proc/self/stat");
    }
  }

  private static WorkerSource<Sample> samples() {
    return Feeds.passes(
        _ -> UNITS,
        (pass, index) -> new Sample(index, index == BAD ? Bad.values()[pass].make() : "nobody"));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void fieldThatCannotCrossIsNamedByItsPathAndTheNextItemArrives(boolean withArena) {
    try (SubprocessIterable<Sample> items =
        Subprocess.iterate(samples(), Feeds.options(withArena).build())) {
      for (Bad bad : Bad.values()) {
        Iterator<Sample> iterator = items.iterator();
        for (int index = 0; index < UNITS; index++) {
          if (index == BAD) {
            assertTrue(iterator.hasNext());
            long start = System.nanoTime();
            assertFailure(bad, assertThrows(WorkerFailedException.class, iterator::next));
            long millis = (System.nanoTime() - start) / 1_000_000;
            assertTrue(millis < 10_000, () -> bad + " took " + millis + " ms");
          } else {
            assertEquals("sample " + index, iterator.next().name());
          }
        }
        assertFalse(iterator.hasNext());
      }
      items.arena().ifPresent(arena -> assertGivenBack(arena, Bad.values().length * (UNITS - 1)));
      assertEquals(Bad.values().length, items.stats().failures());
    }
  }

  private static void assertFailure(Bad bad, WorkerFailedException failed) {
    assertEquals((long) BAD, failed.facts().get("index"));
    assertEquals(bad.remoteClass, failed.facts().get("remoteClass"), failed::toString);
    assertTrue(failed.getMessage().contains(bad.text), failed::toString);
    boolean namesAll = bad != Bad.TOO_DEEP;
    assertTrue(
        !namesAll || failed.getMessage().contains("path=item.label.owners[1][\"second\"]"),
        failed::toString);
  }

  /** What a failed item had written is no unit, and only whole items are. */
  private static void assertGivenBack(SharedMemoryArena arena, int units) {
    assertEquals(units, arena.stats().published());
  }

  @Test
  void itemThatCanNeverFitIsATypedErrorInItsPlaceHoweverItIsMade() {
    WorkerSource<Object> source =
        Feeds.counting(
            UNITS,
            index ->
                switch (index) {
                  case 2 -> ByteBuffer.allocate(Feeds.PAYLOAD_BYTES + 1);
                  case 4 -> List.of(ByteBuffer.allocate(15_000), ByteBuffer.allocate(15_000));
                  case 6 -> List.of(new byte[5_000], new Thread("no"), new byte[5_000]);
                  default -> ByteBuffer.allocate(Feeds.PAYLOAD_BYTES);
                });
    try (SubprocessIterable<Object> items =
        Subprocess.iterate(source, Feeds.options(true).build())) {
      Iterator<Object> iterator = items.iterator();
      for (int index = 0; index < UNITS; index++) {
        if (index == 2 || index == 4 || index == 6) {
          RuntimeException failure = assertThrows(RuntimeException.class, iterator::next);
          assertEquals(index != 6, failure instanceof UnitTooLargeException, failure::toString);
          assertEquals((long) index, ((HoldfastFailure) failure).facts().get("index"));
        } else {
          assertEquals(Feeds.PAYLOAD_BYTES, ((ByteBuffer) iterator.next()).remaining());
        }
      }
      assertFalse(iterator.hasNext());
      assertGivenBack(items.arena().orElseThrow(), UNITS - 3);
    }
  }

  @Test
  void itemThatCannotBeRestoredIsAnErrorInItsPlaceAndGivesItsSpaceBack() {
    WorkerSource<Object> source =
        Feeds.counting(
            40, index -> index % 2 == 1 ? List.of(new byte[5_000], new Unreadable()) : index);
    try (SubprocessIterable<Object> items =
        Subprocess.iterate(source, Feeds.options(true).build())) {
      Iterator<Object> iterator = items.iterator();
      for (int index = 0; index < 40; index += 2) {
        assertEquals(index, iterator.next());
        WorkerFailedException failed = assertThrows(WorkerFailedException.class, iterator::next);
        assertEquals(index + 1L, failed.facts().get("index"));
        assertTrue(failed.getMessage().contains("not read"), failed::toString);
      }
      assertFalse(iterator.hasNext());
    }
  }

  /** Crosses, and fails where it arrives. */
  private static final class Unreadable implements Serializable {
    private static final long serialVersionUID = 1L;

    private Object readResolve() throws InvalidObjectException {
      throw new InvalidObjectException("not read");
    }
  }
}
