package dev.holdfast.acceptance.events;

import dev.holdfast.arena.ArenaReader;
import dev.holdfast.arena.ArenaWriter;
import dev.holdfast.arena.OpenUnit;
import dev.holdfast.arena.Placement;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.arena.UnitLease;
import dev.holdfast.arena.UnitReceipt;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.SubprocessOptions;
import dev.holdfast.loader.WorkerDiedException;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.GcPressure;
import dev.holdfast.testkit.Parent;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import jdk.jfr.FlightRecorder;
import jdk.jfr.consumer.RecordingStream;

/**
 * Streams items, first while nobody records; with a file as its argument then starts to record, and
 * does all that there are events of.
 */
final class EventsMain {
  static final List<String> ALL =
      List.of(
          "UnitWait",
          "UnitPublished",
          "UnitHeld",
          "GcAsked",
          "LeaseLeaked",
          "WorkerStarted",
          "WorkerDied");

  private static final int SEGMENT_BYTES = 1000;

  private EventsMain() {}

  public static void main(String[] arguments) throws IOException, InterruptedException {
    Parent.say("RECORDER OF WORKER " + stream());
    Parent.say("RECORDER " + FlightRecorder.isInitialized());
    if (arguments.length > 0) {
      record(Path.of(arguments[0]));
    }
    Parent.say("DONE");
  }

  private static void record(Path file) throws IOException, InterruptedException {
    CountDownLatch leaked = new CountDownLatch(1);
    try (RecordingStream recording = new RecordingStream()) {
      ALL.forEach(name -> recording.enable("dev.holdfast." + name));
      recording.onEvent("dev.holdfast.LeaseLeaked", _ -> leaked.countDown());
      recording.startAsync();
      var _ = stream();
      loseAWorker();
      starve();
      leak();
      leaked.await();
      recording.dump(file);
    }
  }

  /** Returns whether the worker has a recorder. */
  private static boolean stream() {
    boolean seen = false;
    SubprocessOptions options =
        options().arena(new SharedMemorySegmentPool(SEGMENT_BYTES, 2)).build();
    try (SubprocessIterable<Object[]> items =
        Subprocess.iterate(
            _ -> () -> List.<Object[]>of(new Object[] {seeRecorder(), new byte[100]}).iterator(),
            options)) {
      for (Object[] item : items) {
        seen |= (Boolean) item[0];
      }
      Parent.say("STREAMED " + items.pid());
    }
    return seen;
  }

  private static boolean seeRecorder() {
    return FlightRecorder.isInitialized();
  }

  private static SubprocessOptions.Builder options() {
    return SubprocessOptions.builder().jvmArgs(ChildJvm.SHORT_LIVED, "-Xmx64m");
  }

  private static void loseAWorker() {
    try (SubprocessIterable<String> items =
        Subprocess.iterate(
            _ -> {
              Runtime.getRuntime().halt(3);
              return List.of();
            },
            options().build())) {
      items.forEach(_ -> {});
    } catch (WorkerDiedException e) {
      Parent.say("LOST");
    }
  }

  /** Views that nobody can reach any more keep the only segment until a collection. */
  private static void starve() {
    try (SharedMemorySegmentPool pool = new SharedMemorySegmentPool(SEGMENT_BYTES, 1);
        ArenaWriter writer = pool.openWriter();
        ArenaReader reader = pool.openReader()) {
      for (int i = 0; i < 2; i++) {
        open(writer, reader, ViewScope.COLLECTED).close();
      }
    }
  }

  private static void leak() {
    try (SharedMemorySegmentPool pool = new SharedMemorySegmentPool(SEGMENT_BYTES, 2);
        ArenaWriter writer = pool.openWriter();
        ArenaReader reader = pool.openReader()) {
      drop(writer, reader);
      while (pool.stats().reclaimed() == 0) {
        GcPressure.collect();
        Deadlines.pause(Duration.ofMillis(10));
      }
    }
  }

  /** In a frame of its own, which keeps no lease. */
  private static void drop(ArenaWriter writer, ArenaReader reader) {
    var _ = open(writer, reader, ViewScope.CONFINED);
  }

  private static UnitLease open(ArenaWriter writer, ArenaReader reader, ViewScope scope) {
    writer.beginUnit();
    Placement placement = writer.writeBinary(MemorySegment.ofArray(new byte[100]));
    UnitReceipt receipt = writer.commitUnit();
    reader.admit(receipt);
    OpenUnit open = reader.beginUnit(receipt, scope);
    var _ = open.readBinary(placement.offset(), placement.byteSize());
    return open.endUnit(List.of());
  }
}
