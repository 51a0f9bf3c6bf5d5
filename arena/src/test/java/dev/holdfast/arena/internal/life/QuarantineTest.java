package dev.holdfast.arena.internal.life;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.testkit.Deadlines;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

final class QuarantineTest {

  private record Kept(String what, BooleanSupplier attempt) implements Quarantine.Retained {
    @Override
    public String why() {
      return "a test wants it so";
    }

    @Override
    public boolean retry() {
      return attempt.getAsBoolean();
    }
  }

  @Test
  void retryThatKeepsAnotherThingEndsAllTheSame() {
    long before = Quarantine.size();
    AtomicBoolean secondMayEnd = new AtomicBoolean();
    Quarantine.add(
        new Kept(
            "first",
            () -> {
              Quarantine.add(new Kept("second", secondMayEnd::get));
              return true;
            }));
    Deadlines.assertEventually("first ended", () -> Quarantine.size() == before + 1);
    secondMayEnd.set(true);
    Deadlines.assertEventually("second ended", () -> Quarantine.size() == before);
  }

  @Test
  void retryThatThrowsStopsNoOther() {
    long before = Quarantine.size();
    AtomicBoolean mayEnd = new AtomicBoolean();
    Quarantine.add(
        new Kept(
            "throwing",
            () -> {
              if (!mayEnd.get()) {
                throw new AssertionError("on purpose");
              }
              return true;
            }));
    Quarantine.add(new Kept("other", () -> true));
    Deadlines.assertEventually("other ended", () -> Quarantine.size() == before + 1);
    assertTrue(Quarantine.describe().toString().contains("throwing"));
    mayEnd.set(true);
    Quarantine.retry();
    assertEquals(before, Quarantine.size());
  }
}
