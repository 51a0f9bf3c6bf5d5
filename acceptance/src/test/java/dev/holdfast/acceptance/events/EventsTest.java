package dev.holdfast.acceptance.events;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Leftovers;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What the JDK Flight Recorder is told, and what it costs whoever does not record. */
@ExtendWith(Leftovers.class)
@Timeout(300)
final class EventsTest {

  @Test
  void nobodyPaysForARecorderWhoDoesNotRecord() {
    try (ChildJvm child = ChildJvm.of(EventsMain.class).start()) {
      assertEquals("false", child.awaitLine("RECORDER OF WORKER "));
      assertEquals("false", child.awaitLine("RECORDER "));
      child.awaitSuccess();
    }
  }

  @Test
  void aRecordingThatIsStartedLateHasEveryEventWithItsFacts(@TempDir Path folder)
      throws IOException {
    Path file = folder.resolve("events.jfr");
    String pid;
    try (ChildJvm child = ChildJvm.of(EventsMain.class).args(file.toString()).start()) {
      child.awaitLine("RECORDER false");
      pid = child.awaitLine("STREAMED ");
      child.awaitSuccess();
    }
    List<RecordedEvent> events = RecordingFile.readAllEvents(file);
    assertEquals(
        EventsMain.ALL.stream().map("dev.holdfast."::concat).collect(Collectors.toSet()),
        events.stream().map(event -> event.getEventType().getName()).collect(Collectors.toSet()));
    Set<Long> started = new TreeSet<>();
    for (RecordedEvent event : events) {
      switch (event.getEventType().getName()) {
        case "dev.holdfast.WorkerStarted" -> started.add(event.getLong("pid"));
        case "dev.holdfast.WorkerDied" ->
            assertTrue(event.getString("how").contains("before it was ready"), event::toString);
        case "dev.holdfast.UnitPublished" -> assertEquals(100, event.getLong("bytes"));
        case "dev.holdfast.UnitHeld", "dev.holdfast.UnitWait", "dev.holdfast.LeaseLeaked" ->
            assertTrue(event.getString("arena").length() > 8, event::toString);
        default -> assertEquals("dev.holdfast.GcAsked", event.getEventType().getName());
      }
    }
    assertTrue(started.contains(Long.valueOf(pid)), started::toString);
  }
}
