package dev.holdfast.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The fixtures see what they are there to see. */
@ExtendWith(Leftovers.class)
final class TestkitTest {

  @Test
  void everyFlippedByteOfAStampedPayloadIsSeen() {
    MemorySegment payload = Stamps.payload(1003, 7, 3);
    Stamps.verify(payload, 7, 3);
    for (long at = 0; at < payload.byteSize(); at++) {
      byte right = payload.get(ValueLayout.JAVA_BYTE, at);
      payload.set(ValueLayout.JAVA_BYTE, at, (byte) ~right);
      assertThrows(AssertionError.class, () -> Stamps.verify(payload, 7, 3));
      payload.set(ValueLayout.JAVA_BYTE, at, right);
    }
    assertThrows(AssertionError.class, () -> Stamps.verify(payload, 8, 3));
    assertThrows(AssertionError.class, () -> Stamps.verify(payload, 7, 4));
    assertThrows(AssertionError.class, () -> Stamps.verify(payload.asSlice(8), 7, 3));
  }

  @Test
  void sparseStampsCoverBothEdgesAndOneWordInEach64KiB() {
    for (int size : new int[] {0, 7, 64, 100, 128, 200, 65536, 65537, 65600, 300_001}) {
      MemorySegment payload = MemorySegment.ofArray(new byte[size]);
      Stamps.fillSparse(payload, 5, 1);
      Stamps.verifySparse(payload, 5, 1);
      for (long at = 0; at < size; at = next(at, size)) {
        byte right = payload.get(ValueLayout.JAVA_BYTE, at);
        payload.set(ValueLayout.JAVA_BYTE, at, (byte) ~right);
        assertThrows(AssertionError.class, () -> Stamps.verifySparse(payload, 5, 1));
        payload.set(ValueLayout.JAVA_BYTE, at, right);
      }
    }
  }

  private static long next(long at, long size) {
    boolean edge = at + 1 < 64 || at + 1 >= size - 64;
    return edge ? at + 1 : Math.min((at / 65536 + 1) * 65536, size - 64);
  }

  @Test
  void childThatHangsFailsItsTestAndIsKilled() {
    ChildJvm child = ChildJvm.of(HangingChild.class).start();
    assertEquals("here", child.awaitLine("I am"));
    assertThrows(AssertionError.class, () -> child.awaitLine("never", Duration.ofMillis(50)));
    assertThrows(AssertionError.class, () -> child.awaitExit(Duration.ofMillis(50)));
    assertTrue(ProcSelf.cpuTime(child.pid()).toMillis() >= 0);
    assertThrows(AssertionError.class, child::close);
    assertEquals(ChildJvm.SIGNALLED + ChildJvm.SIGKILL, child.awaitExit());
  }

  @Test
  void childAnswersAndItsStatusIsSeen() {
    try (ChildJvm child = ChildJvm.of(EchoChild.class).args("3").start()) {
      child.send("hällo");
      assertEquals("hällo", child.awaitLine("echo"));
      assertEquals(3, child.awaitExit());
      assertEquals("to the end", child.errorOutput());
    }
  }

  @Test
  void childThatEndsWithoutItsLineFailsItsTestAtOnceAndIsQuoted() {
    try (ChildJvm child = ChildJvm.of(EchoChild.class).args("3").start()) {
      child.send("ready");
      long start = System.nanoTime();
      AssertionError failure = assertThrows(AssertionError.class, () -> child.awaitLine("never"));
      long seconds = (System.nanoTime() - start) / 1_000_000_000L;
      assertTrue(seconds < Deadlines.GENEROUS.toSeconds() / 2, () -> "took " + seconds + " s");
      for (String part : new String[] {"'never'", "exit status 3", "echo ready", "to the end"}) {
        assertTrue(failure.getMessage().contains(part), failure::getMessage);
      }
      assertEquals(3, child.awaitExit());
    }
  }

  @Test
  void leftNamesThreadsAndProcessesAreFound() throws IOException, InterruptedException {
    Leftovers.Snapshot before = Leftovers.snapshot();
    Path name = Files.createTempFile(Path.of("/dev/shm"), "holdfast-testkit", "");
    Leftovers.Snapshot withName = Leftovers.snapshot();
    assertNotEquals(before.names(), withName.names());
    Files.delete(name);
    assertEquals(before.names(), Leftovers.snapshot().names());
    Thread thread = Thread.ofPlatform().start(() -> Deadlines.pause(Duration.ofMillis(300)));
    assertTrue(Leftovers.snapshot().threads().contains(thread.threadId()));
    thread.join();
    try (ChildJvm child = ChildJvm.of(EchoChild.class).args("0").start()) {
      assertTrue(Leftovers.snapshot().processes().contains(child.pid()));
      child.send("end");
      child.awaitSuccess();
    }
    Leftovers.assertNothingSince(before);
  }

  @Test
  void roundsAreNeverFewerThanTwentyOrTheFullCount() {
    assertEquals(5, Rounds.of(5));
    assertTrue(Rounds.of(50) >= 20);
    assertTrue(Rounds.of(100_000) >= 20);
  }

  @Test
  void lateBodyFailsItsTest() {
    assertThrows(
        AssertionError.class,
        () -> Deadlines.assertEventually("never", Duration.ofMillis(20), () -> false));
    assertThrows(
        AssertionError.class,
        () ->
            Deadlines.within(
                "sleeper",
                Duration.ofMillis(20),
                () -> {
                  Thread.sleep(Duration.ofSeconds(10));
                  return null;
                }));
    assertThrows(
        IOException.class,
        () ->
            Deadlines.result(
                Deadlines.start(
                    "thrower",
                    () -> {
                      throw new IOException("expected");
                    })));
  }

  /** Says that it is there and stays. */
  static final class HangingChild {
    private HangingChild() {}

    public static void main(String[] arguments) throws InterruptedException {
      Parent.say("I am here");
      Thread.sleep(Duration.ofHours(1));
    }
  }

  /** Sends one line back and ends with the status that it was given. */
  static final class EchoChild {
    private EchoChild() {}

    public static void main(String[] arguments) {
      Parent.say("echo " + Parent.read());
      System.err.println("to the end");
      System.exit(Integer.parseInt(arguments[0]));
    }
  }

  @Test
  void aFileOfAnotherLiveJvmIsNoLeftoverAndOneOfThisOrOfADeadOneIs() throws IOException {
    long self = ProcessHandle.current().pid();
    long dead = 999_999_999;
    List<Path> files = new ArrayList<>();
    try {
      for (long owner : new long[] {1, self, dead}) {
        files.add(Files.createFile(Path.of("/dev/shm/holdfast-testkit-of-" + owner)));
      }
      Set<String> seen = Leftovers.snapshot().names();
      assertEquals(
          List.of(false, true, true),
          files.stream().map(file -> seen.contains(file.toString())).toList());
    } finally {
      for (Path file : files) {
        Files.delete(file);
      }
    }
  }
}
