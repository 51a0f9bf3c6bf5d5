package dev.holdfast.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.ArenaReader;
import dev.holdfast.arena.ArenaWriter;
import dev.holdfast.arena.Backing;
import dev.holdfast.arena.OpenUnit;
import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.arena.SharedMemoryRingBuffer;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.arena.UnitLease;
import dev.holdfast.arena.UnitReceipt;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.testkit.JsonReader;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Maps;
import dev.holdfast.testkit.ProcSelf;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What inspect shows of arenas of this process. */
@ExtendWith(Leftovers.class)
final class InspectCommandTest {
  private static final String SELF = String.valueOf(ProcessHandle.current().pid());
  private static final int HEADER = 4096;

  @TempDir private Path folder;

  private static List<Map<String, Object>> arenas(String... args) {
    String[] line = new String[args.length + 3];
    line[0] = "inspect";
    System.arraycopy(args, 0, line, 1, args.length);
    line[args.length + 1] = "--json";
    line[args.length + 2] = "-";
    CommandRun run = CommandRun.of(line);
    assertEquals(Main.DONE, run.exit(), run.err());
    return JsonReader.objects(JsonReader.object(run.out()).get("arenas"));
  }

  private static Map<String, Object> wordsOf(SharedMemoryArena arena, String... args) {
    List<Map<String, Object>> found =
        arenas(args).stream()
            .filter(one -> one.get("words") != null) // of others there may be some that have ended
            .map(one -> JsonReader.fields(one.get("words")))
            .filter(words -> words.get("arenaId").equals(arena.arenaId().toString()))
            .toList();
    assertEquals(1, found.size(), found::toString);
    return found.getFirst();
  }

  private static UnitReceipt send(ArenaWriter writer, ArenaReader reader, int bytes) {
    writer.beginUnit();
    writer.writeBinary(MemorySegment.ofArray(new byte[bytes]));
    UnitReceipt receipt = writer.commitUnit();
    reader.admit(receipt);
    return receipt;
  }

  private static UnitLease open(ArenaReader reader, UnitReceipt receipt) {
    OpenUnit unit = reader.beginUnit(receipt, ViewScope.CONFINED);
    assertEquals(1000, unit.readBinary(0, 1000).byteSize());
    return unit.endUnit(List.of());
  }

  @Test
  void aPoolIsShownWithWhoHoldsWhatSinceWhen() {
    try (SharedMemorySegmentPool pool = new SharedMemorySegmentPool(64 << 10, 4);
        ArenaWriter writer = pool.openWriter();
        ArenaReader reader = pool.openReader()) {
      reader.discard(send(writer, reader, 1000));
      try (UnitLease lease = open(reader, send(writer, reader, 1000))) {
        UnitReceipt parcel = send(writer, reader, 1000);

        Map<String, Object> words = wordsOf(pool, SELF);

        assertEquals(
            "[arenaId, kind, unitBytes, segments, owner, writer, reader, published, reclaimed,"
                + " head, tail, generation, writerWaiting, ownerShutdown, peerShutdown, holders,"
                + " oldest, doubt]",
            words.keySet().toString());
        assertEquals("pool", words.get("kind"));
        assertEquals(65536.0, words.get("unitBytes"));
        assertEquals(4.0, words.get("segments"));
        assertEquals(3.0, words.get("published"));
        assertEquals(1.0, words.get("reclaimed"));
        assertEquals(false, words.get("writerWaiting"));
        assertNull(words.get("doubt"));
        Map<String, Object> self =
            Map.of("pid", (double) ProcessHandle.current().pid(), "alive", true);
        assertEquals(self, words.get("owner"));
        Map<String, Object> holder = JsonReader.fields(words.get("reader"));
        assertEquals("streams", holder.remove("use"));
        assertEquals(self, holder);
        List<Map<String, Object>> holders = JsonReader.objects(words.get("holders"));
        assertEquals(2, holders.size());
        assertEquals("confined lease", holders.get(0).get("kind"));
        assertEquals("unopened parcel", holders.get(1).get("kind"));
        Map<String, Object> oldest = JsonReader.fields(words.get("oldest"));
        assertEquals(1.0, oldest.get("unit"));
        assertEquals("confined lease", oldest.get("holder"));
        double age = JsonReader.number(oldest.get("ageMillis"));
        assertTrue(age >= 0 && age < 600_000, "age " + age);

        String text = CommandRun.of("inspect", SELF).out();
        assertTrue(text.contains("pool of 4 x 64KiB"), text);
        assertTrue(text.contains("published 3, reclaimed 1, outstanding 2, generation 0"), text);
        assertTrue(text.contains("owner      " + SELF + " lives"), text);
        assertTrue(text.contains("oldest     unit 1: confined lease for "), text);
        assertEquals(UnitLease.State.OPEN, lease.state());
        reader.discard(parcel);
      }
      pool.unlink();
    }
  }

  @Test
  void aRingIsShownWithItsBytesInUse() {
    try (SharedMemoryRingBuffer ring = new SharedMemoryRingBuffer(10_000);
        ArenaWriter writer = ring.openWriter();
        ArenaReader reader = ring.openReader()) {
      reader.discard(send(writer, reader, 4000));
      UnitReceipt second = send(writer, reader, 3000);

      Map<String, Object> words = wordsOf(ring, SELF);

      assertEquals("ring", words.get("kind"));
      assertEquals(10_000.0, words.get("unitBytes"));
      assertEquals(7000.0, words.get("head"));
      assertEquals(4000.0, words.get("tail"));
      String text = CommandRun.of("inspect", SELF).out();
      assertTrue(text.contains("bytes in use 3000"), text);
      assertTrue(text.contains("1 not copied out"), text);
      reader.discard(second);
      ring.unlink();
    }
  }

  @Test
  void anArenaIsFoundWithoutDescriptorNameAndLabel() {
    try (SharedMemorySegmentPool unlinked = new SharedMemorySegmentPool(100, 3);
        SharedMemorySegmentPool inFolder =
            SharedMemorySegmentPool.builder(100, 5).backing(Backing.directory(folder)).build();
        SharedMemorySegmentPool named =
            SharedMemorySegmentPool.builder(100, 7)
                .backing(Backing.file(folder.resolve("named")))
                .build()) {
      unlinked.unlink();

      assertEquals(3.0, wordsOf(unlinked, SELF).get("segments"));
      assertEquals(5.0, wordsOf(inFolder, SELF).get("segments"));
      assertEquals(7.0, wordsOf(named).get("segments"));
      assertEquals(1, arenas().stream().filter(a -> a.get("place").equals(named(folder))).count());
      inFolder.unlink();
      named.unlink();
    }
  }

  private static String named(Path folder) {
    return folder.resolve("named").toString();
  }

  @Test
  void aLookChangesNothing() throws IOException {
    try (SharedMemorySegmentPool pool =
            SharedMemorySegmentPool.builder(5000, 3)
                .backing(Backing.file(folder.resolve("named")))
                .build();
        ArenaWriter writer = pool.openWriter();
        ArenaReader reader = pool.openReader()) {
      UnitReceipt receipt = send(writer, reader, 1000);
      byte[] bytes = Files.readAllBytes(folder.resolve("named"));
      List<Maps.Mapping> maps = Maps.ofArenas();
      int descriptors = ProcSelf.descriptors().size();

      assertEquals(Main.DONE, CommandRun.of("inspect").exit());
      assertEquals(Main.DONE, CommandRun.of("inspect", SELF).exit());
      assertEquals(Main.DONE, CommandRun.of("inspect", folder.toString()).exit());

      assertEquals(maps, Maps.ofArenas());
      assertEquals(descriptors, ProcSelf.descriptors().size());
      assertTrue(
          Arrays.equals(bytes, Files.readAllBytes(folder.resolve("named"))),
          "the bytes are the same");
      reader.discard(receipt);
      pool.unlink();
    }
  }

  @Test
  void wordsThatCannotBeTrueAreDoubtedAndNotFollowed() throws IOException {
    Path file = folder.resolve("named");
    try (SharedMemorySegmentPool pool =
        SharedMemorySegmentPool.builder(100, 3).backing(Backing.file(file)).build()) {
      for (long lie : new long[] {-1, 4, Long.MAX_VALUE, Long.MIN_VALUE}) {
        poke(file, 256, lie);
        Map<String, Object> words = wordsOf(pool, SELF);
        assertEquals("the counters cannot be true", words.get("doubt"));
        assertEquals(List.of(), words.get("holders"));
      }
      poke(file, 256, 0);
      poke(file, 72, Long.MAX_VALUE); // the number of segments
      CommandRun run = CommandRun.of("inspect", folder.toString());
      assertEquals(Main.DONE, run.exit());
      assertTrue(run.out().contains("unreadable the header of an arena cannot be true"), run.out());
      poke(file, 72, 3);
      pool.unlink();
    }
  }

  private static void poke(Path file, long offset, long value) throws IOException {
    try (RandomAccessFile words = new RandomAccessFile(file.toFile(), "rw")) {
      words.seek(offset);
      words.writeLong(Long.reverseBytes(value));
    }
  }

  @Test
  void aFolderShowsWhatIsInUseAndWhatIsLeft() throws IOException {
    Path file = folder.resolve("arena");
    try (SharedMemorySegmentPool pool =
        SharedMemorySegmentPool.builder(100, 3).backing(Backing.file(file)).build()) {
      byte[] copy = Files.readAllBytes(file);
      Files.write(folder.resolve("left"), copy);
      Files.write(folder.resolve("short"), Arrays.copyOf(copy, HEADER));
      Files.writeString(folder.resolve("other"), "not ours");

      CommandRun run = CommandRun.of("inspect", folder.toString(), "--json", "-");

      Map<String, Object> document = JsonReader.object(run.out());
      assertEquals("[arenas, leftovers, unreadable]", document.keySet().toString());
      List<Map<String, Object>> left = JsonReader.objects(document.get("leftovers"));
      assertEquals(3, left.size(), run.out());
      for (Map<String, Object> one : left) {
        assertEquals("[file, bytes, state, reason, words, failure]", one.keySet().toString());
        String name = Path.of(String.valueOf(one.get("file"))).getFileName().toString();
        assertEquals(name.equals("arena") ? "in_use" : "stale", one.get("state"), name);
        assertEquals(name.equals("short"), one.get("words") == null, name);
      }

      CommandRun swept = CommandRun.of("sweep", folder.toString());

      assertEquals(Main.DONE, swept.exit(), swept.out());
      assertTrue(swept.out().contains("removed " + folder.resolve("left")), swept.out());
      assertTrue(swept.out().contains("removed " + folder.resolve("short")), swept.out());
      assertTrue(
          swept.out().contains("left    " + file + ": its owner holds the lock"), swept.out());
      assertTrue(swept.out().endsWith("removed 2, left 1, failed 0\n"), swept.out());
      assertTrue(Files.exists(file) && Files.exists(folder.resolve("other")));
      pool.unlink();
    }
    assertEquals("removed 0, left 0, failed 0\n", CommandRun.of("sweep", folder.toString()).out());
    assertFalse(Files.exists(file));
  }

  @Test
  void nothingFoundIsExitCodeOne() {
    for (String target : new String[] {folder.toString(), "999999999"}) {
      CommandRun run = CommandRun.of("inspect", target);
      assertEquals(Main.FAILED, run.exit());
      assertEquals("nothing found\n", run.out());
      assertEquals("", run.err());
    }
  }
}
