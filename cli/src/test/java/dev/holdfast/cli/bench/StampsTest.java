package dev.holdfast.cli.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class StampsTest {
  private static final PassPlan EVERY_WORD = new PassPlan(0, 10, Stamped.EVERY_WORD, 0);
  private static final PassPlan EDGES = new PassPlan(1, 10, Stamped.EDGES, 0);
  private static final PassPlan SAMPLES = new PassPlan(1, 10, Stamped.SAMPLES, 0);

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 8, 63, 64, 65, 127, 128, 1000, 65535, 65536, 65541, 300_003})
  void whatWasWrittenPassesAndAnyOtherUnitOrPassDoesNot(int size) {
    for (PassPlan plan : new PassPlan[] {EVERY_WORD, SAMPLES, EDGES}) {
      byte[] bytes = new byte[size];
      MemorySegment segment = MemorySegment.ofArray(bytes);
      Stamps.write(segment, plan, 5);

      assertTrue(Stamps.check(segment, plan, 5));
      assertFalse(Stamps.check(segment, plan, 6));
      assertFalse(Stamps.check(segment, new PassPlan(2, 10, plan.stamped(), 0), 5));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 9, 64, 130, 4099})
  void withEveryWordEachFlippedByteIsSeen(int size) {
    byte[] bytes = new byte[size];
    Stamps.write(MemorySegment.ofArray(bytes), EVERY_WORD, 3);
    for (int i = 0; i < size; i++) {
      bytes[i] ^= 1;
      assertFalse(Stamps.check(MemorySegment.ofArray(bytes), EVERY_WORD, 3));
      bytes[i] ^= 1;
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {200_000, 200_003})
  void samplesAreTheEdgesAndOneWordInEachBlock(int size) {
    byte[] bytes = new byte[size];
    Stamps.write(MemorySegment.ofArray(bytes), SAMPLES, 100);
    int seen = 0;
    for (int i = 0; i < size; i++) {
      bytes[i] ^= 1;
      boolean passes = Stamps.check(MemorySegment.ofArray(bytes), SAMPLES, 100);
      bytes[i] ^= 1;
      seen += passes ? 0 : 1;
      assertFalse(passes && (i < 64 || i >= size - 64), "an edge is not looked at: byte " + i);
    }
    int lastEdge = size - (size - 64) / 8 * 8;
    assertEquals(64 + lastEdge + 4 * 8, seen);
  }
}
