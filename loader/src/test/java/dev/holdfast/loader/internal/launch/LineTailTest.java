package dev.holdfast.loader.internal.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class LineTailTest {

  private static void add(LineTail tail, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    tail.add(bytes, bytes.length);
  }

  @Test
  void theLastFiftyLinesAreKept() {
    LineTail tail = new LineTail();
    for (int i = 0; i < 1000; i++) {
      add(tail, "line " + i + "\r\n");
    }
    assertEquals(50, tail.lines().size());
    assertEquals("line 950", tail.lines().getFirst());
    add(tail, "unfin");
    add(tail, "ished");
    assertEquals(50, tail.lines().size());
    assertEquals("unfinished", tail.lines().getLast());
  }

  // R50
  @Test
  void aLineWithoutEndTakesBoundedMemory() {
    LineTail tail = new LineTail();
    for (int i = 0; i < 10_000; i++) {
      add(tail, "x".repeat(1024));
    }
    List<String> lines = tail.lines();
    assertEquals(1, lines.size());
    assertTrue(lines.getFirst().length() < 1100 && lines.getFirst().endsWith("..."));
  }

  @Test
  void bytesThatAreNoTextAreReplaced() {
    LineTail tail = new LineTail();
    tail.add(new byte[] {(byte) 0xC3, (byte) 0x28, '\n'}, 3);
    assertEquals(List.of("\uFFFD("), tail.lines());
  }
}
