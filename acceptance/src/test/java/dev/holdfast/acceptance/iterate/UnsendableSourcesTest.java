package dev.holdfast.acceptance.iterate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.ArenaClosedException;
import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.SubprocessOptions;
import dev.holdfast.loader.WorkerContext;
import dev.holdfast.loader.WorkerSource;
import dev.holdfast.testkit.Leftovers;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * What a source may consist of. One that cannot cross is refused before there is a process: the
 * options name a working directory that is missing, which would fail the start otherwise. R69
 */
@ExtendWith(Leftovers.class)
@Timeout(300)
final class UnsendableSourcesTest {
  private final String field = "of a test that cannot cross";

  private static <T> void assertRefused(WorkerSource<T> source, String... parts) {
    SharedMemoryArena arena = Feeds.pool(2, Feeds.LONG);
    SubprocessOptions options =
        SubprocessOptions.builder().arena(arena).workingDirectory(Path.of("/missing")).build();
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> Subprocess.iterate(source, options));
    for (String part : parts) {
      assertTrue(refused.getMessage().contains(part), refused::toString);
    }
    assertThrows(ArenaClosedException.class, arena::openReader);
  }

  private static <T> void assertWorks(List<T> expected, WorkerSource<T> source) {
    try (SubprocessIterable<T> items = Subprocess.iterate(source)) {
      assertEquals(expected, Feeds.all(items));
    }
  }

  private static List<String> ofContext(WorkerContext context) {
    return List.of("worker " + context.index());
  }

  private List<String> ofTest(WorkerContext context) {
    return List.of(field + context.index());
  }

  @Test
  void lambdaThatDragsItsTestAlongIsRefusedWithTheCapturedArgument() {
    assertRefused(
        _ -> List.of(field), "class=" + getClass().getName(), "source.capturedArgument[0]");
  }

  @Test
  void methodOfAnObjectThatCannotCrossIsRefused() {
    assertRefused(this::ofTest, "class=" + getClass().getName(), "source.capturedArgument[0]");
  }

  @Test
  void anonymousClassThatUsesItsTestIsRefusedWithTheField() {
    assertRefused(
        new WorkerSource<String>() {
          private static final long serialVersionUID = 1L;

          @Override
          public Iterable<String> open(WorkerContext context) {
            return List.of(field);
          }
        },
        "class=" + getClass().getName(),
        "source.this$0");
  }

  @Test
  void localClassThatCapturesAVariableIsRefusedWithTheField() {
    Thread captured = new Thread("captured");
    record Local(List<Thread> threads) implements WorkerSource<String> {
      @Override
      public Iterable<String> open(WorkerContext context) {
        return threads.stream().map(Thread::getName).toList();
      }
    }
    assertRefused(new Local(List.of(captured)), "class=java.lang.Thread", "source.threads[0]");
  }

  @Test
  void iterableThatCannotCrossIsRefused() {
    Iterable<String> iterable = () -> List.of("a").iterator();
    assertRefused(WorkerSource.of(iterable), "source.iterable", "lambda in");
    assertRefused(
        WorkerSource.of(List.of("a", new Object())),
        "class=java.lang.Object",
        "source.iterable[1]");
  }

  @Test
  void initializerThatCannotCrossIsRefused() {
    Object captured = new Object();
    IllegalArgumentException refused =
        assertThrows(
            IllegalArgumentException.class,
            () ->
                Subprocess.iterate(
                    Feeds.counting(1, index -> index),
                    SubprocessOptions.builder()
                        .workingDirectory(Path.of("/missing"))
                        .initializer(_ -> System.out.println(captured))
                        .build()));
    assertTrue(
        refused.getMessage().contains("initializers[0].capturedArgument[0]"), refused::toString);
  }

  private enum Single implements WorkerSource<String> {
    SOURCE;

    @Override
    public Iterable<String> open(WorkerContext context) {
      return List.of(name());
    }
  }

  private record OfRecord(String text) implements WorkerSource<String> {
    @Override
    public Iterable<String> open(WorkerContext context) {
      return List.of(text);
    }
  }

  /** Its iterator could not cross, and need not. */
  private static final class Counter implements Iterable<Integer>, Serializable {
    private static final long serialVersionUID = 1L;

    @Override
    public Iterator<Integer> iterator() {
      Thread notSerializable = Thread.currentThread();
      return List.of(1, 2, 3).stream().filter(_ -> notSerializable.isAlive()).iterator();
    }
  }

  @Test
  void everyOtherShapeOfASourceWorks() {
    assertWorks(List.of("worker 0"), UnsendableSourcesTest::ofContext);
    assertWorks(List.of("SOURCE"), Single.SOURCE);
    assertWorks(List.of("a record"), new OfRecord("a record"));
    assertWorks(List.of(1, 2, 3), WorkerSource.of(new Counter()));
    String captured = field;
    assertWorks(List.of(captured), _ -> List.of(captured));
  }
}
