package dev.holdfast.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.holdfast.examples.folder.OverTheDisk;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Leftovers;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Every example runs as it stands, and says what it should. */
@ExtendWith(Leftovers.class)
@Timeout(300)
final class ExamplesTest {
  @TempDir private Path folder;

  private static List<String> output(Class<?> example, String... args) {
    try (ChildJvm run = ChildJvm.of(example).args(args).start()) {
      run.awaitSuccess();
      assertEquals("", run.errorOutput(), example::getName);
      return run.output().lines().toList();
    }
  }

  @Test
  void iterateAndLeaseReadsEveryFrameInBothPasses() {
    assertEquals(
        List.of(
            "pass 1: 20 frames, sum of centres 190.0", "pass 2: 20 frames, sum of centres 190.0"),
        output(IterateAndLease.class));
  }

  @Test
  void twoProcessesPassUnitsOverTheirOwnChannel() {
    long indexes = 100_000L * 99_999 / 2;
    List<String> expected =
        Stream.concat(
                IntStream.range(0, 12).mapToObj(unit -> "unit " + unit + ": sum " + unit * indexes),
                Stream.of("producer ended with 0"))
            .toList();
    assertEquals(expected, output(TwoProcesses.class));
  }

  @Test
  void writeInBackgroundWritesEveryBlockWhole() throws IOException {
    Path file = folder.resolve("blocks");
    assertEquals(List.of("wrote 16000000 bytes"), output(WriteInBackground.class, file.toString()));
    try (Arena arena = Arena.ofConfined();
        FileChannel channel = FileChannel.open(file)) {
      MemorySegment floats = channel.map(FileChannel.MapMode.READ_ONLY, 0, Files.size(file), arena);
      for (int i = 0; i < 16 * 250_000; i++) {
        int block = i / 250_000;
        float expected = block;
        if (floats.getAtIndex(ValueLayout.JAVA_FLOAT, i) != expected) {
          assertEquals(expected, floats.getAtIndex(ValueLayout.JAVA_FLOAT, i), "float " + i);
        }
      }
    }
  }

  @Test
  void customArenaCarriesItemsAndLeavesItsFolderEmpty() throws IOException {
    assertEquals(
        IntStream.range(0, 8)
            .mapToObj(i -> "[" + (100_000 + i) + "] ends with " + i + ".0")
            .toList(),
        output(OverTheDisk.class, folder.toString()));
    try (Stream<Path> left = Files.list(folder)) {
      assertEquals(List.of(), left.toList());
    }
  }

  @Test
  void inPlaceBatchesArriveWholeAndTheLastOneIsShorter() {
    float end = 3_999 / 4096f;
    assertEquals(
        List.of(
            "[32, 4000] ends with " + (double) (31 + end),
            "[32, 4000] ends with " + (double) (63 + end),
            "[32, 4000] ends with " + (double) (95 + end),
            "[4, 4000] ends with " + (double) (99 + end)),
        output(InPlaceBatches.class));
  }
}
