package dev.holdfast.peers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.ViewScope;
import dev.holdfast.cli.bench.CellSpec;
import dev.holdfast.cli.bench.Codec;
import dev.holdfast.cli.bench.Fill;
import dev.holdfast.cli.bench.NotSupportedException;
import dev.holdfast.cli.bench.PassPlan;
import dev.holdfast.cli.bench.Payload;
import dev.holdfast.cli.bench.Session;
import dev.holdfast.cli.bench.Stamps;
import dev.holdfast.cli.bench.Transport;
import dev.holdfast.testkit.Leftovers;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@ExtendWith(Leftovers.class)
@Timeout(120)
final class PeersTest {
  private static final int ITEMS = 20;

  /** The number of a pass of one item, far behind the timed ones. */
  private static final int ROUND_TRIP = 1000;

  @ParameterizedTest
  @CsvSource({
    "aeron,65536", "aeron,1048576", "arrow,65536", "arrow,1048576",
    "chronicle,65536", "chronicle,1048576", "netty,65536", "netty,1048576"
  })
  void itemsArriveWholeAndInTheirTurn(String name, long sizeBytes) throws Exception {
    CellSpec cell = cell(name, Payload.BUFFER, sizeBytes);
    try (Session session = transport(name).open(cell)) {
      assertEquals(ITEMS, verified(session, cell, 0), "each word");
      assertEquals(ITEMS, verified(session, cell, 1), "samples");
    }
  }

  @ParameterizedTest
  @CsvSource({"aeron,1001", "arrow,1", "chronicle,70001", "netty,3"})
  void itemsOfAnOddSizeArriveAndAKilledProducerFailsThePass(String name, long sizeBytes)
      throws Exception {
    CellSpec cell = cell(name, Payload.BUFFER, sizeBytes);
    try (Session session = transport(name).open(cell)) {
      assertEquals(ITEMS, verified(session, cell, 0));
      ProcessHandle producer = ProcessHandle.of(session.producerPid().orElseThrow()).orElseThrow();
      producer.destroyForcibly();
      producer.onExit().join();

      assertThrows(IOException.class, () -> verified(session, cell, 1));
    }
  }

  @Test
  void chronicleBeginsNewFilesAndKeepsNoneThatWasRead() throws Exception {
    CellSpec cell = cell("chronicle", Payload.BUFFER, 20 << 20, 14);
    try (Session session = transport("chronicle").open(cell)) {
      assertEquals(1, verified(session, cell, ROUND_TRIP));
      List<String> first = queueFiles();
      assertEquals(14, verified(session, cell, 1));
      List<String> second = queueFiles();

      assertEquals(1, first.size(), first.toString());
      assertEquals(1, second.size(), second.toString());
      assertNotEquals(first, second);
    }
  }

  private static List<String> queueFiles() throws IOException {
    List<String> names = new ArrayList<>();
    try (DirectoryStream<Path> folders =
        Files.newDirectoryStream(Path.of("/dev/shm"), "holdfast-peer-chronicle-*")) {
      for (Path folder : folders) {
        try (DirectoryStream<Path> files =
            Files.newDirectoryStream(folder.resolve("queue"), "*.cq4")) {
          files.forEach(file -> names.add(file.getFileName().toString()));
        }
      }
    }
    return names;
  }

  @ParameterizedTest
  @CsvSource({"MAP,65536,map", "BYTES,65536,bytes", "BUFFER,0,at least one byte"})
  void whatIsNoRunOfBytesIsNotSupported(Payload payload, long sizeBytes, String reason) {
    for (Transport peer : peers()) {
      NotSupportedException refusal =
          assertThrows(
              NotSupportedException.class,
              () -> peer.open(cell(peer.name(), payload, sizeBytes)).close());
      assertTrue(refusal.getMessage().contains(reason), refusal.getMessage());
    }
  }

  @Test
  void aDocumentOfAGibibyteIsNotSupportedByChronicle() {
    NotSupportedException refusal =
        assertThrows(
            NotSupportedException.class,
            () -> transport("chronicle").open(cell("chronicle", Payload.BUFFER, 1L << 30)).close());

    assertTrue(refusal.getMessage().contains("shorter than 1 GiB"), refusal.getMessage());
  }

  @Test
  void eachPeerIsFoundAndBringsItsOwnFlagsAlone() {
    List<Transport> peers = peers();

    assertEquals(
        List.of("aeron", "arrow", "chronicle", "netty"),
        peers.stream().map(Transport::name).sorted().toList());
    peers.forEach(peer -> assertTrue(!peer.jvmFlags().isEmpty(), peer.name()));
    assertTrue(transport("chronicle").jvmFlags().contains("-Dchronicle.analytics.disable=true"));
    assertEquals(List.of(), transport("memcpy").jvmFlags());
    assertEquals(List.of(), transport("pool").jvmFlags());
  }

  private static int verified(Session session, CellSpec cell, int number) throws Exception {
    PassPlan plan = cell.plan(number);
    int[] seen = {0};
    session.pass(
        plan,
        item -> {
          MemorySegment bytes = (MemorySegment) item;
          assertEquals(cell.sizeBytes(), bytes.byteSize());
          assertTrue(Stamps.check(bytes, plan, seen[0]++), "item " + (seen[0] - 1));
        });
    assertEquals(plan.items(), seen[0]);
    return seen[0];
  }

  private static CellSpec cell(String name, Payload payload, long sizeBytes) {
    return cell(name, payload, sizeBytes, ITEMS);
  }

  private static CellSpec cell(String name, Payload payload, long sizeBytes, int items) {
    return new CellSpec(
        name,
        payload,
        ViewScope.CONFINED,
        sizeBytes,
        items,
        items,
        items,
        1,
        4,
        0,
        CellSpec.Measure.THROUGHPUT,
        Fill.OWN_MEMORY,
        Codec.COMPACT,
        null);
  }

  private static Transport transport(String name) {
    return all().stream()
        .filter(transport -> transport.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private static List<Transport> peers() {
    return all().stream()
        .filter(transport -> transport.getClass().getPackageName().equals("dev.holdfast.peers"))
        .toList();
  }

  private static List<Transport> all() {
    return ServiceLoader.load(Transport.class).stream()
        .map(ServiceLoader.Provider::get)
        .collect(Collectors.toList());
  }
}
