package dev.holdfast.arena.internal.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.Side;
import dev.holdfast.arena.internal.life.HolderKind;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Field;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** {@code docs/layout.md} says what the classes of the layout do. */
final class LayoutDocumentTest {
  private static final byte UNTOUCHED = 0x55;
  private static final long SEGMENTS = 3;
  private static final long MEMORY_BYTES = 8192;

  /** One row of a table: where something lies and how long it is. */
  private record Place(long offset, long bytes) {}

  @Test
  void documentNamesEveryOffsetOfTheLayoutWithItsValue() throws Exception {
    Map<String, Place> documented = new LinkedHashMap<>();
    documented.putAll(places("Header"));
    documented.putAll(places("Words"));
    Set<String> undocumented = new TreeSet<>();
    for (Field constant : ArenaLayout.class.getFields()) {
      String name = constant.getName();
      if (!name.endsWith("_OFFSET")) {
        continue;
      }
      Place place = documented.remove(camelCase(name.substring(0, name.length() - 7)));
      if (place == null) {
        undocumented.add(name);
      } else {
        assertEquals(constant.getLong(null), place.offset, name);
      }
    }
    assertEquals(Set.of(), undocumented, "constants without a row");
    assertEquals(Set.of(), documented.keySet(), "rows without a constant");
  }

  @Test
  void headerIsWrittenExactlyWhereTheDocumentSays() throws IOException {
    ArenaGeometry geometry = ArenaGeometry.pool(5000, SEGMENTS, 4096);
    MemorySegment memory = untouched();
    geometry.write(memory);
    Map<String, Place> places = places("Header");
    assertEquals("HOLDFAST", text(memory, places.get("magic")));
    assertEquals(ArenaLayout.VERSION, number(memory, places.get("version")));
    assertEquals(ArenaLayout.KIND_POOL, number(memory, places.get("kind")));
    Place id = places.get("arenaId");
    assertEquals(16, id.bytes);
    assertEquals(
        geometry.arenaId().getMostSignificantBits(), number(memory, new Place(id.offset, 8)));
    assertEquals(
        geometry.arenaId().getLeastSignificantBits(), number(memory, new Place(id.offset + 8, 8)));
    assertEquals(geometry.fileBytes(), number(memory, places.get("fileBytes")));
    assertEquals(geometry.dataOffset(), number(memory, places.get("dataOffset")));
    assertEquals(geometry.dataBytes(), number(memory, places.get("dataBytes")));
    assertEquals(5000, number(memory, places.get("unitBytes")));
    assertEquals(8192, number(memory, places.get("stride")));
    assertEquals(SEGMENTS, number(memory, places.get("segmentCount")));
    assertEquals(geometry.owner().pid(), number(memory, places.get("ownerPid")));
    assertEquals(geometry.owner().startTicks(), number(memory, places.get("ownerStart")));

    Set<Long> expected = new HashSet<>();
    for (Place place : places.values()) {
      for (long i = 0; i < place.bytes; i++) {
        assertTrue(expected.add(place.offset + i), "rows overlap at " + (place.offset + i));
      }
    }
    for (long at = 0; at < memory.byteSize(); at++) {
      boolean touched = memory.get(ValueLayout.JAVA_BYTE, at) != UNTOUCHED;
      assertTrue(!touched || expected.contains(at), "an undocumented byte was written: " + at);
    }
  }

  @Test
  void eachWordHasTheDocumentedPlaceAndLength() throws IOException {
    Map<String, Consumer<ArenaWords>> writes = new LinkedHashMap<>();
    writes.put("published", words -> words.setPublishedRelease(-1));
    writes.put("head", words -> words.setHeadRelease(-1));
    writes.put("reclaimed", words -> words.setReclaimedVolatile(-1));
    writes.put("tail", words -> words.setTailVolatile(-1));
    writes.put("generationHead", words -> words.setGenerationHeadRelease(-1));
    writes.put("writerWaiting", words -> words.setWriterWaitingVolatile(1));
    writes.put("ownerShutdown", words -> words.setShutdownVolatile(true, true));
    writes.put("peerShutdown", words -> words.setShutdownVolatile(false, true));
    writes.put("writerClaim", words -> claim(words, Side.WRITER));
    writes.put("readerClaim", words -> claim(words, Side.READER));
    Map<String, Place> places = places("Words");
    writes.forEach((name, write) -> assertEquals(places.get(name), written(write), name));

    Place generation = places.get("generation");
    Place start = places.get("generationStart");
    assertEquals(
        new Place(generation.offset, generation.bytes + start.bytes),
        written(words -> words.setGenerationRelease(-1, -1)));
    assertEquals(generation.offset + generation.bytes, start.offset);
    assertEquals(new Place(ArenaLayout.SPACE_SIGNAL_OFFSET, 4), places.get("spaceSignal"));
    assertEquals(
        Set.of("spaceSignal", "generation", "generationStart"),
        difference(places.keySet(), writes.keySet()));
  }

  @Test
  void eachSegmentsWordsHaveTheDocumentedPlaces() throws IOException {
    Map<String, List<String>> rows = rows("Words of each segment");
    for (long segment = 0; segment < SEGMENTS; segment++) {
      long number = segment;
      assertEquals(
          indexed(rows.get("sealed[i]"), segment),
          written(words -> words.setSealedRelease(number, -1)));
      assertEquals(
          indexed(rows.get("sealedSpan[i]"), segment),
          written(words -> words.setSealedSpanRelease(number, -1)));
      assertEquals(
          indexed(rows.get("sealedKey[i]"), segment),
          written(words -> words.setSealedKeyRelease(number, -1)));
      assertEquals(
          indexed(rows.get("sealedSince[i]"), segment),
          written(words -> words.setSealedSinceRelease(number, -1)));
      assertEquals(
          indexed(rows.get("holding[i]"), segment),
          written(words -> words.setHoldingRelease(number, -1)));
      assertEquals(
          indexed(rows.get("taken[i]"), segment),
          written(words -> words.setTakenRelease(number, -1)));
    }
  }

  @Test
  void documentNamesEveryKindOfHolder() throws IOException {
    Map<String, List<String>> rows = rows("Words of each segment");
    for (HolderKind kind : HolderKind.values()) {
      assertEquals(kind.text(), rows.get(String.valueOf(kind.encode(0))).getFirst());
    }
    assertTrue(!rows.containsKey(String.valueOf(HolderKind.values().length)), "one kind too many");
  }

  private static void claim(ArenaWords words, Side side) {
    long free = words.claimVolatile(side);
    assertTrue(words.compareAndSetClaim(side, free, ~free));
  }

  /**
   * Returns the range of bytes that a write touches. An int of 1 is told from a long by its
   * neighbours.
   */
  private static Place written(Consumer<ArenaWords> write) {
    MemorySegment memory = untouched();
    write.accept(new ArenaWords(new SegmentWords(memory), SEGMENTS));
    long first = 0;
    while (memory.get(ValueLayout.JAVA_BYTE, first) == UNTOUCHED) {
      first++;
    }
    long last = memory.byteSize() - 1;
    while (memory.get(ValueLayout.JAVA_BYTE, last) == UNTOUCHED) {
      last--;
    }
    return new Place(first, last - first + 1);
  }

  private static MemorySegment untouched() {
    return Arena.ofAuto().allocate(MEMORY_BYTES, 4096).fill(UNTOUCHED);
  }

  private static String text(MemorySegment memory, Place place) {
    byte[] bytes = memory.asSlice(place.offset, place.bytes).toArray(ValueLayout.JAVA_BYTE);
    return new String(bytes, StandardCharsets.US_ASCII);
  }

  private static long number(MemorySegment memory, Place place) {
    if (place.bytes == 4) {
      return memory.get(ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN), place.offset);
    }
    assertEquals(8, place.bytes);
    return memory.get(ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN), place.offset);
  }

  /** Reads "4096 + 256 * i". */
  private static Place indexed(List<String> row, long i) {
    String[] parts = row.get(0).split("[+*]", -1);
    assertEquals("i", parts[2].strip());
    long offset = Long.parseLong(parts[0].strip()) + Long.parseLong(parts[1].strip()) * i;
    return new Place(offset, Long.parseLong(row.get(1)));
  }

  private static Set<String> difference(Set<String> all, Set<String> without) {
    Set<String> rest = new HashSet<>(all);
    rest.removeAll(without);
    return rest;
  }

  private static Map<String, Place> places(String heading) throws IOException {
    Map<String, Place> places = new LinkedHashMap<>();
    rows(heading)
        .forEach(
            (name, cells) -> {
              if (cells.size() == 4) {
                places.put(
                    name, new Place(Long.parseLong(cells.get(0)), Long.parseLong(cells.get(1))));
              }
            });
    assertTrue(!places.isEmpty(), "no table under " + heading);
    return places;
  }

  /** Returns the rows of all tables under a heading of the third level, by their first cell. */
  private static Map<String, List<String>> rows(String heading) throws IOException {
    Path document = Path.of(System.getProperty("holdfast.root", ".."), "docs", "layout.md");
    Map<String, List<String>> rows = new LinkedHashMap<>();
    boolean inside = false;
    for (String line : Files.readAllLines(document)) {
      if (line.startsWith("#")) {
        inside = line.equals("### " + heading);
      } else if (inside && line.startsWith("| ") && !line.startsWith("| name |")) {
        List<String> cells =
            new ArrayList<>(Arrays.stream(line.split("\\|")).map(String::strip).toList());
        rows.put(cells.get(1), cells.subList(2, cells.size()));
      }
    }
    return rows;
  }

  private static String camelCase(String constant) {
    StringBuilder name = new StringBuilder();
    for (String word : constant.toLowerCase(Locale.ROOT).split("_", -1)) {
      name.append(
          name.isEmpty() ? word : Character.toUpperCase(word.charAt(0)) + word.substring(1));
    }
    return name.toString();
  }
}
