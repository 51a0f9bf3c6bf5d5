package dev.holdfast.arena.internal.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.Backing;
import dev.holdfast.arena.internal.life.Quarantine;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(Leftovers.class)
final class MemoryMappingTest {
  private final String label = "holdfast-test-" + UUID.randomUUID();

  private MemoryMapping map() {
    try (SharedFile file = SharedFile.create(Backing.memfd(), label, 10_000)) {
      return file.map();
    }
  }

  private boolean isMapped() {
    try {
      return Files.readString(Path.of("/proc/self/maps")).contains(label);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void lastOwnerUnmapsAndNobodyCanRetainAfterwards() {
    MemoryMapping mapping = map();
    assertTrue(mapping.retain());
    assertTrue(mapping.releaseNow());
    assertTrue(isMapped());
    mapping.release();
    Deadlines.assertEventually("unmapped", () -> !isMapped());
    assertFalse(mapping.retain());
  }

  @Test
  void stepThatRefusesKeepsTheMappingInTheQuarantineUntilItAgrees() {
    long before = Quarantine.size();
    MemoryMapping mapping = map();
    AtomicBoolean agrees = new AtomicBoolean();
    List<String> ran = new ArrayList<>();
    mapping.addStep(step("first added", () -> ran.add("first added")));
    mapping.addStep(
        step(
            "refusing",
            () -> {
              if (!agrees.get()) {
                throw new IllegalStateException("busy");
              }
              ran.add("refusing");
            }));
    assertFalse(mapping.releaseNow());
    assertEquals(before + 1, Quarantine.size());
    assertTrue(mapping.why().contains("refusing") && mapping.why().contains("busy"), mapping.why());
    assertTrue(isMapped());
    agrees.set(true);
    Deadlines.assertEventually("retried by the daemon", () -> Quarantine.size() == before);
    assertFalse(isMapped());
    assertEquals(List.of("refusing", "first added"), ran);
  }

  @Test
  void stepThatRunsOutOfHeapOrStackIsTriedAgainAndTheMemoryIsUnmappedOnce() {
    for (Error error : List.of(new OutOfMemoryError("planned"), new StackOverflowError())) {
      long before = Quarantine.size();
      MemoryMapping mapping = map();
      AtomicBoolean roomAgain = new AtomicBoolean();
      mapping.addStep(
          step(
              "exhausted",
              () -> {
                if (!roomAgain.get()) {
                  throw error;
                }
              }));
      assertFalse(mapping.releaseNow());
      assertEquals(before + 1, Quarantine.size());
      assertTrue(mapping.why().contains(error.getClass().getName()), mapping.why());
      assertTrue(isMapped());
      roomAgain.set(true);
      Deadlines.assertEventually("retried by the daemon", () -> Quarantine.size() == before);
      assertFalse(isMapped());
      assertTrue(mapping.retry(), "it has ended before");
    }
  }

  private static UnmapStep step(String what, Runnable body) {
    return new UnmapStep() {
      @Override
      public String what() {
        return what;
      }

      @Override
      public void run() {
        body.run();
      }
    };
  }
}
