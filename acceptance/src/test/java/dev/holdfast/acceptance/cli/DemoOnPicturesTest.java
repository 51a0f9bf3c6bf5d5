package dev.holdfast.acceptance.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.cli.Main;
import dev.holdfast.testkit.Images;
import dev.holdfast.testkit.JsonReader;
import dev.holdfast.testkit.Leftovers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The demo on pictures that nobody here made. */
@ExtendWith(Leftovers.class)
final class DemoOnPicturesTest {
  private static final double DELIVERED = 559;
  private static final double FAILED = 16;
  private static final String FLIP_IN_UNIT_3 =
      "--worker-jvm-arg=-Dholdfast.faults=UNIT_FLIP_BYTE=fire@4";

  private static Map<String, Object> inline = Map.of();
  private static Path someImages = Path.of("");

  @BeforeAll
  static void decodeWithoutAWorker(@TempDir Path some) throws IOException {
    inline = demo("--transport", "inline").json();
    someImages = some;
    try (Stream<Path> images = Files.list(Images.folder())) {
      for (Path image : images.sorted().limit(40).toList()) {
        Files.copy(image, some.resolve(image.getFileName().toString()));
      }
    }
  }

  @Test
  void everyWayGivesTheSameNumbersToTheLastBit() {
    Map<String, Object> channel = demo("--transport", "channel").json();
    Map<String, Object> pool = demo("--transport", "pool", "--epochs", "3").json();
    Map<String, Object> ring = demo("--transport", "ring").json();
    assertTrue(((Number) ring.get("unitsPublished")).longValue() > 0);
    assertEquals(Collections.nCopies(3, inline.get("mean")), pool.get("epochMean"));
    assertEquals(Collections.nCopies(3, inline.get("std")), pool.get("epochStd"));
    for (Map<String, Object> way : List.of(inline, channel, pool, ring)) {
      assertEquals(DELIVERED, way.get("delivered"));
      assertEquals(FAILED, way.get("failed"));
      assertEquals(inline.get("failures"), way.get("failures"));
      assertEquals(inline.get("mean"), way.get("mean"));
      assertEquals(inline.get("std"), way.get("std"));
    }
    List<String> names = new ArrayList<>();
    JsonReader.objects(pool.get("failures")).forEach(f -> names.add((String) f.get("name")));
    assertTrue(names.contains("truncated_image.png"), names.toString());
    assertEquals(names.stream().sorted().toList(), names);
  }

  @ParameterizedTest
  @ValueSource(strings = {"ring", "channel"})
  void regionOverEveryOtherTransportGivesTheSameNumbersToTheLastBit(String transport) {
    Map<String, Object> region = demo("--transport", transport, "--workers", "2").json();

    assertEquals(DELIVERED, region.get("delivered"));
    assertEquals(inline.get("failures"), region.get("failures"));
    assertEquals(inline.get("mean"), region.get("mean"));
    assertEquals(inline.get("std"), region.get("std"));
    assertEquals(transport.equals("ring"), ((Number) region.get("unitsPublished")).longValue() > 0);
  }

  @Test
  void regionOfTwoWorkersGivesTheSameNumbersToTheLastBitAndATableOfItsStages() {
    Map<String, Object> region =
        demo("--transport", "pool", "--workers", "2", "--epochs", "2").json();

    assertEquals(DELIVERED, region.get("delivered"));
    assertEquals(FAILED, region.get("failed"));
    assertEquals(inline.get("failures"), region.get("failures"));
    assertEquals(2, ((List<?>) region.get("epochSeconds")).size());
    for (Object mean : (List<?>) region.get("epochMean")) {
      assertEquals(inline.get("mean"), mean);
    }
    for (Object deviation : (List<?>) region.get("epochStd")) {
      assertEquals(inline.get("std"), deviation);
    }
    List<String> stages = new ArrayList<>();
    JsonReader.objects(region.get("stages")).forEach(s -> stages.add((String) s.get("name")));
    assertEquals(List.of("source", "workers", "decode", "batch"), stages);
  }

  @Test
  void aByteFlippedInSharedMemoryChangesTheMeanAndThereIsNoneWithoutAnArena() {
    Object right = few("--transport", "inline").json().get("mean");

    assertNotEquals(right, few("--transport", "pool", FLIP_IN_UNIT_3).json().get("mean"));
    assertEquals(right, few("--transport", "channel", FLIP_IN_UNIT_3).json().get("mean"));
  }

  @Test
  void epochsThatDoNotAgreeFailTheRunAfterTheReport() {
    CommandLineRun run = few("--transport", "pool", "--epochs", "2", FLIP_IN_UNIT_3);

    assertEquals(Main.FAILED, run.exit());
    assertTrue(run.err().contains("holdfast: IllegalStateException: "), run.err());
    List<?> means = (List<?>) JsonReader.object(run.out()).get("epochMean");
    assertNotEquals(means.get(0), means.get(1));
  }

  private static CommandLineRun demo(String... options) {
    return run(Images.folder(), options);
  }

  /** Decodes some of the pictures, in small batches. */
  private static CommandLineRun few(String... options) {
    List<String> all = new ArrayList<>(List.of("--batch", "8"));
    all.addAll(List.of(options));
    return run(someImages, all.toArray(String[]::new));
  }

  private static CommandLineRun run(Path folder, String... options) {
    List<String> args = new ArrayList<>(List.of("demo", folder.toString(), "--json", "-"));
    args.addAll(List.of(options));
    return CommandLineRun.of(args.toArray(String[]::new));
  }
}
