package dev.holdfast.arena.internal.life;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.testkit.Deadlines;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

final class QuarantineTest {

  private static final class Kept extends Quarantine.Retained {
    private final String what;
    private final BooleanSupplier attempt;

    Kept(String what, BooleanSupplier attempt) {
      this.what = what;
      this.attempt = attempt;
    }

    @Override
    public String what() {
      return what;
    }

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
  void whatIsKeptAlreadyIsKeptOnce() {
    long before = Quarantine.size();
    AtomicBoolean mayEnd = new AtomicBoolean();
    Kept kept = new Kept("kept", mayEnd::get);
    Quarantine.add(kept);
    Quarantine.add(kept);
    assertEquals(before + 1, Quarantine.size());
    mayEnd.set(true);
    Quarantine.retry();
    assertEquals(before, Quarantine.size());
    mayEnd.set(false);
    Quarantine.add(kept);
    assertEquals(before + 1, Quarantine.size(), "it can come again");
    mayEnd.set(true);
    Deadlines.assertEventually("it ends", () -> Quarantine.size() == before);
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
