package dev.holdfast.loader.internal.region;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.ArenaCorruptedException;
import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.UnitTooLargeException;
import dev.holdfast.loader.internal.pipeline.ItemText;
import dev.holdfast.loader.internal.pipeline.StageFigures;
import dev.holdfast.loader.internal.pipeline.Trouble;
import dev.holdfast.testkit.Rounds;
import dev.holdfast.testkit.Seeds;
import dev.holdfast.testkit.Tally;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

/** What a worker says beside its results. */
final class AnswersTest {
  private static final String LONG = "é".repeat(70_000);

  private static Answers crossed(List<Trouble> troubles, List<StageFigures.Snapshot> figures) {
    return Answers.decode(
        Answers.encode(true, List.of(1L, 2L), List.of(2L), troubles, figures)
            .toArray(ValueLayout.JAVA_BYTE));
  }

  @Test
  void textsOfAnyLengthCross() {
    Trouble trouble = new Trouble(LONG, 7, LONG, new IllegalStateException("no"), true);
    Answers answers = crossed(List.of(trouble), List.of(new StageFigures(LONG, 3, 4).snapshot()));
    assertEquals(List.of(1L, 2L), answers.inputs());
    assertEquals(List.of(2L), answers.done());
    assertEquals(LONG, answers.troubles().getFirst().stage());
    assertEquals(LONG, answers.troubles().getFirst().item());
    assertEquals(LONG, answers.figures().getFirst().name());
    assertEquals(3, answers.figures().getFirst().concurrency());
  }

  private static byte[] answer() {
    StageFigures figures = new StageFigures("stage", 3, 4);
    for (int i = 1; i < 60; i++) {
      figures.worked(1000L * i * i);
    }
    Trouble trouble =
        new Trouble("stage", 7, "item", new UnitTooLargeException(FailureDetail.of("no")), true);
    return Answers.encode(
            true,
            List.of(1L, 2L),
            List.of(2L),
            List.of(trouble, trouble),
            List.of(figures.snapshot(), new StageFigures("other", 1, 2).snapshot()))
        .toArray(ValueLayout.JAVA_BYTE);
  }

  private static ArenaCorruptedException refused(byte[] bytes) {
    return assertThrows(ArenaCorruptedException.class, () -> Answers.decode(bytes));
  }

  @Test
  void answerThatIsCutOrTooLongIsATypedErrorWithItsLength() {
    byte[] whole = answer();
    assertTrue(Answers.decode(whole).hasValue());
    for (int length = 0; length < whole.length; length += 7) {
      ArenaCorruptedException cut = refused(Arrays.copyOf(whole, length));
      assertEquals((long) length, cut.facts().get("bytes"));
      assertTrue(cut.advice().contains("close the iterable"), cut::getMessage);
    }
    refused(Arrays.copyOf(whole, whole.length + 1));
    whole[0] = 2;
    refused(whole);
  }

  @Test
  void figuresThatNoStageCanHaveAreATypedError() {
    StageFigures.Snapshot real = new StageFigures("stage", 3, 4).snapshot();
    List<UnaryOperator<Object[]>> lies =
        List.of(
            fields -> with(fields, 1, 0),
            fields -> with(fields, 1, -1),
            fields -> with(fields, 2, -1),
            fields -> with(fields, 3, -1L),
            fields -> with(fields, 4, Long.MIN_VALUE),
            fields -> with(fields, 5, -1L),
            fields -> with(fields, 6, -1L),
            fields -> with(fields, 7, -1L),
            fields -> with(fields, 8, new byte[0]),
            fields -> with(fields, 8, times(Long.MAX_VALUE / 4, 5)), // asks for 57 MiB
            fields -> with(fields, 8, times(TimeUnit.HOURS.toNanos(1), 3)));
    assertEquals(
        3, Answers.decode(encoded(snapshot(fields(real)))).figures().getFirst().concurrency());
    for (UnaryOperator<Object[]> lie : lies) {
      refused(encoded(snapshot(lie.apply(fields(real)))));
    }
  }

  private static byte[] encoded(StageFigures.Snapshot snapshot) {
    return Answers.encode(false, List.of(), List.of(), List.of(), List.of(snapshot))
        .toArray(ValueLayout.JAVA_BYTE);
  }

  private static Object[] fields(StageFigures.Snapshot it) {
    return new Object[] {
      it.name(),
      it.concurrency(),
      it.queueCapacity(),
      it.items(),
      it.failures(),
      it.busyNanos(),
      it.samples(),
      it.sampledCells(),
      it.times()
    };
  }

  private static Object[] with(Object[] fields, int at, Object value) {
    Object[] changed = fields.clone();
    changed[at] = value;
    return changed;
  }

  private static StageFigures.Snapshot snapshot(Object[] fields) {
    return new StageFigures.Snapshot(
        (String) fields[0],
        (int) fields[1],
        (int) fields[2],
        (long) fields[3],
        (long) fields[4],
        (long) fields[5],
        (long) fields[6],
        (long) fields[7],
        (byte[]) fields[8]);
  }

  private static byte[] times(long longest, int digits) {
    Histogram histogram = new Histogram(longest, digits);
    ByteBuffer bytes = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
    int length = histogram.encodeIntoCompressedByteBuffer(bytes);
    return Arrays.copyOf(bytes.array(), length);
  }

  /** {@code -Dholdfast.seed} repeats a run. */
  @Test
  void whateverIsChangedInAnAnswerIsAnAnswerOrATypedErrorAndAsksForLittleMemory() {
    long seed = Seeds.next();
    int rounds = Rounds.of(10_000);
    byte[] right = answer();
    int found = 0;
    for (int round = 0; round < rounds; round++) {
      byte[] changed = changed(right, new Random(seed + round));
      long before = allocatedBytes();
      try {
        use(Answers.decode(changed));
      } catch (ArenaCorruptedException e) {
        found++;
      } catch (RuntimeException | Error e) {
        throw new AssertionError("-Dholdfast.seed=" + (seed + round), e);
      }
      long allocated = allocatedBytes() - before;
      assertTrue(allocated < 4L << 20, "-Dholdfast.seed=" + (seed + round) + ": " + allocated);
    }
    assertTrue(found > rounds / 10 && found < rounds, "found " + found + " of " + rounds);
    Tally.ROUNDS.add(rounds);
    Tally.MUTATIONS.add(rounds);
  }

  /** Does what becomes of an answer's numbers in the main process. */
  private static void use(Answers answers) {
    for (StageFigures.Snapshot figures : answers.figures()) {
      StageFigures.Snapshot region = new StageFigures("region", 2, 4).snapshot();
      assertEquals(2, region.busyAs(List.of(figures)).stats().concurrency());
      assertEquals(figures.name(), figures.plus(figures).continuedBy(figures).stats().name());
      assertEquals(figures.concurrency(), figures.stats().concurrency());
    }
    answers.troubles().forEach(it -> it.failure().toException("no", detail -> detail));
  }

  private static byte[] changed(byte[] right, Random random) {
    byte[] changed = right.clone();
    int at = random.nextInt(changed.length);
    switch (random.nextInt(4)) {
      case 0 -> changed[at] ^= (byte) (1 << random.nextInt(8));
      case 1 -> changed[at] = (byte) random.nextInt();
      case 2 -> {
        int number = random.nextBoolean() ? random.nextInt() : random.nextInt(-2, 100_000);
        ByteBuffer.wrap(changed).putInt(Math.min(at, changed.length - 4), number);
      }
      default -> changed = Arrays.copyOf(changed, at);
    }
    return changed;
  }

  private static long allocatedBytes() {
    var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    return threads.getCurrentThreadAllocatedBytes();
  }

  @Test
  void longItemsAreShownInPart() {
    URI uri = URI.create("data:" + "a".repeat(100_000));
    assertEquals(203, ItemText.of(uri).length());
  }

  @Test
  void stagesOfOneNameAreToldApartByTheirPlace() {
    StageFigures first = new StageFigures("same", 1, 4);
    StageFigures second = new StageFigures("same", 2, 4);
    first.worked(10);
    second.worked(30);
    second.worked(30);
    List<StageFigures.Snapshot> worker = List.of(first.snapshot(), second.snapshot());
    List<StageFigures.Snapshot> both = LaneFigures.sum(worker, worker, StageFigures.Snapshot::plus);
    assertEquals(List.of(2, 4), both.stream().map(StageFigures.Snapshot::concurrency).toList());
    assertEquals(List.of(2L, 4L), both.stream().map(StageFigures.Snapshot::items).toList());
    LaneFigures lane = new LaneFigures();
    lane.update(worker);
    lane.keep();
    assertEquals(List.of(1L, 2L), lane.all().stream().map(StageFigures.Snapshot::items).toList());
    lane.update(worker);
    assertEquals(List.of(2L, 4L), lane.all().stream().map(StageFigures.Snapshot::items).toList());
    assertEquals(
        List.of(1, 2), lane.all().stream().map(StageFigures.Snapshot::concurrency).toList());
  }

  @Test
  void regionIsAsBusyAsTheBusiestStageInside() {
    StageFigures region = new StageFigures("region", 2, 4);
    region.worked(1_000_000);
    StageFigures slow = new StageFigures("slow", 4, 4);
    slow.worked(400);
    StageFigures fast = new StageFigures("fast", 2, 4);
    fast.worked(100);
    StageFigures.Snapshot busy =
        region.snapshot().busyAs(List.of(slow.snapshot(), fast.snapshot()));
    assertEquals(200, busy.busyNanos());
  }
}
