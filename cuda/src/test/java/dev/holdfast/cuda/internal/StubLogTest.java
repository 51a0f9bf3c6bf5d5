package dev.holdfast.cuda.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.testkit.cuda.StubLog;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The checker of the stub driver's log sees what is wrong in bad logs, and nothing in a good one.
 */
class StubLogTest {
  private static final List<String> GOOD =
      List.of(
          "cuCtxPushCurrent depth=1 thread=7 code=0 done=1",
          "cuCtxPopCurrent depth=0 thread=7 code=0 done=1",
          "cuStreamCreate stream=0x10 flags=1 code=0 done=1",
          "cuEventCreate event=0x30 flags=2 code=0 done=1",
          "cuMemHostRegister address=0x1000 bytes=8192 flags=1 code=0 done=1",
          "cuMemAlloc device=0x20 bytes=4096 code=0 done=1",
          "cuMemcpyHtoDAsync id=1 host=0x1000 device=0x20 bytes=4096 stream=0x10 registered=1 code=0 done=1",
          "completed id=1 status=ok",
          "cuMemFree device=0x20 inflight=0 code=0 done=1",
          "cuMemHostUnregister address=0x1000 mapped=1 inflight=0 code=0 done=1",
          "cuStreamDestroy stream=0x10 pending=0 code=0 done=1",
          "cuEventDestroy event=0x30 code=0 done=1",
          "ended");

  private static List<String> numbered(List<String> lines) {
    List<String> numbered = new ArrayList<>();
    for (String line : lines) {
      numbered.add((numbered.size() + 1) + " " + line);
    }
    return numbered;
  }

  /** Returns the good log with one line replaced, or left out when the new one is empty. */
  private static List<String> violations(String begin, String... replacement) {
    List<String> lines = new ArrayList<>();
    boolean found = false;
    for (String line : GOOD) {
      if (line.startsWith(begin)) {
        lines.addAll(List.of(replacement));
        found = true;
      } else {
        lines.add(line);
      }
    }
    assertTrue(found, begin);
    return StubLog.of(numbered(lines)).violations(true);
  }

  private static void assertFound(String expected, List<String> violations) {
    assertTrue(
        violations.stream().anyMatch(violation -> violation.contains(expected)),
        () -> "expected '" + expected + "' in " + violations);
  }

  @Test
  void aGoodLogHasNoViolation() {
    StubLog log = StubLog.of(numbered(GOOD));
    assertEquals(List.of(), log.violations(true));
    assertEquals(0, log.pageableCopies());
    assertEquals(1, log.count("cuMemHostRegister"));
  }

  @Test
  void aMissingUnregisterIsSeen() {
    assertFound("still registered", violations("cuMemHostUnregister"));
  }

  @Test
  void aSecondUnregisterIsSeen() {
    String once = "cuMemHostUnregister address=0x1000 mapped=1 inflight=0 code=0 done=1";
    String refused = "cuMemHostUnregister address=0x1000 mapped=1 inflight=0 code=713 done=0";
    assertFound("that was not registered", violations("cuMemHostUnregister", once, once));
    assertFound("that was not registered", violations("cuMemHostUnregister", once, refused));
  }

  @Test
  void aSecondUnregisterAfterALyingRefusalIsNone() {
    assertEquals(
        List.of(),
        violations(
            "cuMemHostUnregister",
            "cuMemHostUnregister address=0x1000 mapped=1 inflight=0 code=999 done=1",
            "cuMemHostUnregister address=0x1000 mapped=1 inflight=0 code=713 done=0"));
  }

  @Test
  void aRegistrationThatWasCalledRefusedMustBeEndedToo() {
    String lied = "cuMemHostRegister address=0x1000 bytes=8192 flags=1 code=999 done=1";
    assertEquals(List.of(), violations("cuMemHostRegister", lied));
    List<String> lines = numbered(List.of(lied));
    assertFound("still registered", StubLog.of(lines).violations(true));
  }

  @Test
  void anUnregisterAfterARegistrationThatDidNothingIsSeen() {
    assertFound(
        "that was not registered",
        StubLog.of(
                numbered(
                    List.of(
                        "cuMemHostRegister address=0x1000 bytes=8192 flags=1 code=2 done=0",
                        "cuMemHostUnregister address=0x1000 mapped=1 inflight=0 code=713 done=0")))
            .violations(true));
  }

  @Test
  void aContextThatStaysCurrentIsSeen() {
    String pushed = "cuCtxPushCurrent depth=1 thread=7 code=0 done=1";
    assertFound("contexts stay current", violations("cuCtxPopCurrent"));
    assertFound("contexts stay current", violations("cuCtxPushCurrent", pushed, pushed));
    assertFound(
        "contexts stay current",
        violations("cuCtxPopCurrent", "cuCtxPopCurrent depth=0 thread=8 code=0 done=1"));
    assertEquals(
        List.of(),
        violations("cuCtxPopCurrent", "cuCtxPopCurrent depth=1 thread=7 code=201 done=0"),
        "what is refused stays");
    assertEquals(
        List.of(),
        violations("cuCtxPushCurrent", pushed.replace("code=0", "code=201")),
        "nobody pops what was called refused");
  }

  @Test
  void whatWasMadeByACallThatWasCalledRefusedIsNobodysToGiveBack() {
    for (String made :
        List.of(
            "cuStreamCreate stream=0x50 flags=1 code=2 done=1",
            "cuEventCreate event=0x50 flags=2 code=2 done=1",
            "cuMemAlloc device=0x50 bytes=4096 code=2 done=1")) {
      assertEquals(List.of(), violations("ended", made, "ended"));
    }
  }

  @Test
  void anUnregisterOfAnInnerAddressIsSeen() {
    assertFound(
        "that was not registered",
        violations(
            "cuMemHostUnregister",
            "cuMemHostUnregister address=0x2000 mapped=1 inflight=0 code=713 done=0"));
  }

  @Test
  void anUnregisterBehindTheUnmapIsSeen() {
    assertFound(
        "unmapped before",
        violations(
            "cuMemHostUnregister",
            "cuMemHostUnregister address=0x1000 mapped=0 inflight=0 code=0 done=1"));
  }

  @Test
  void anUnregisterUnderACopyIsSeen() {
    assertFound(
        "under a copy",
        violations(
            "cuMemHostUnregister",
            "cuMemHostUnregister address=0x1000 mapped=1 inflight=1 code=0 done=1"));
  }

  @Test
  void aRegistrationOfNothingOrBesideAPageOrTwiceIsSeen() {
    String good = "cuMemHostRegister address=0x1000 bytes=8192 flags=1 code=0 done=1";
    assertFound(
        "zero bytes",
        violations(
            "cuMemHostRegister",
            good,
            "cuMemHostRegister address=0x9000 bytes=0 flags=1 code=1 done=0"));
    assertFound(
        "at a page",
        violations(
            "cuMemHostRegister",
            good,
            "cuMemHostRegister address=0x9010 bytes=16 flags=1 code=1 done=0"));
    assertFound(
        "registered twice",
        violations(
            "cuMemHostRegister",
            good,
            "cuMemHostRegister address=0x2000 bytes=4096 flags=1 code=0 done=1"));
  }

  @Test
  void aSourceThatWentBeforeItsCopyIsSeen() {
    for (String status : List.of("unregistered", "unmapped", "overwritten", "device-freed")) {
      assertFound(status, violations("completed", "completed id=1 status=" + status));
    }
  }

  @Test
  void aCopyThatNeverCompletedIsSeen() {
    assertFound("never completed", violations("completed"));
    assertFound(
        "nobody had asked",
        violations("completed", "completed id=1 status=ok", "completed id=2 status=ok"));
  }

  @Test
  void whatTheStubCallsAViolationIsOne() {
    assertFound(
        "unmapped-while-registered",
        violations("ended", "violation what=unmapped-while-registered address=0x1000 bytes=8192"));
  }

  @Test
  void whatIsNotGivenBackIsSeen() {
    assertFound("not given back: stream", violations("cuStreamDestroy"));
    assertFound("not given back: device memory", violations("cuMemFree"));
    assertFound("not given back: event", violations("cuEventDestroy"));
  }

  @Test
  void deviceMemoryAndStreamsThatGoTooEarlyOrTwiceAreSeen() {
    String freed = "cuMemFree device=0x20 inflight=0 code=0 done=1";
    assertFound("given back what was not there", violations("cuMemFree", freed, freed));
    assertFound(
        "freed under a copy",
        violations("cuMemFree", "cuMemFree device=0x20 inflight=1 code=0 done=1"));
    assertFound(
        "before its work was done",
        violations("cuStreamDestroy", "cuStreamDestroy stream=0x10 pending=1 code=0 done=1"));
    assertFound("unknown stream", violations("cuStreamCreate"));
    assertFound("unknown device memory", violations("cuMemAlloc"));
  }

  @Test
  void copiesFromMemoryThatWasNeverRegisteredAreCountedApart() {
    List<String> lines =
        GOOD.stream().map(line -> line.replace("registered=1", "registered=0")).toList();
    assertEquals(1, StubLog.of(numbered(lines)).pageableCopies());
    assertEquals(List.of(), StubLog.of(numbered(lines)).violations(true));
  }
}
