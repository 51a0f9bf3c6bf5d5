package dev.holdfast.loader.internal.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** {@code docs/layout.md} says what {@link ChannelLayout} and {@link Frame} say. */
final class ChannelLayoutDocumentTest {

  @Test
  void documentHasTheHeadersOffsets() throws IOException {
    Map<String, Long> expected = new LinkedHashMap<>();
    expected.put("magic", ChannelLayout.MAGIC_OFFSET);
    expected.put("version", ChannelLayout.VERSION_OFFSET);
    expected.put("commandCapacity", ChannelLayout.COMMAND_CAPACITY_OFFSET);
    expected.put("itemCapacity", ChannelLayout.ITEM_CAPACITY_OFFSET);
    expected.put("parentPid", ChannelLayout.PARENT_PID_OFFSET);
    expected.put("parentStart", ChannelLayout.PARENT_START_OFFSET);
    expected.put("itemLimit", ChannelLayout.ITEM_LIMIT_OFFSET);
    expected.put("inputCapacity", ChannelLayout.INPUT_CAPACITY_OFFSET);
    expected.put("ended", ChannelLayout.ENDED_OFFSET);
    expected.put("commandWords", ChannelLayout.COMMAND_WORDS_OFFSET);
    expected.put("itemWords", ChannelLayout.ITEM_WORDS_OFFSET);
    expected.put("inputWords", ChannelLayout.INPUT_WORDS_OFFSET);
    expected.put("rings", ChannelLayout.RINGS_OFFSET);
    assertEquals(expected, offsets("Channel header"));
  }

  @Test
  void documentHasTheOffsetsOfOneDirectionsWords() throws IOException {
    Map<String, Long> expected = new LinkedHashMap<>();
    expected.put("published", ChannelLayout.PUBLISHED);
    expected.put("consumed", ChannelLayout.CONSUMED);
    expected.put("itemsConsumed", ChannelLayout.ITEMS_CONSUMED);
    expected.put("dataSignal", ChannelLayout.DATA_SIGNAL);
    expected.put("consumerWaiting", ChannelLayout.CONSUMER_WAITING);
    expected.put("spaceSignal", ChannelLayout.SPACE_SIGNAL);
    expected.put("producerWaiting", ChannelLayout.PRODUCER_WAITING);
    assertEquals(expected, offsets("Channel words"));
  }

  @Test
  void documentHasTheOffsetsOfAFrame() throws IOException {
    Map<String, Long> expected = new LinkedHashMap<>();
    expected.put("bodyBytes", Frame.BODY_BYTES);
    expected.put("kind", Frame.KIND);
    expected.put("flags", Frame.FLAGS);
    expected.put("marked", Frame.MARKED);
    expected.put("numberOne", Frame.NUMBER_ONE);
    expected.put("numberTwo", Frame.NUMBER_TWO);
    expected.put("rest", Frame.REST);
    expected.put("body", (long) Frame.HEADER_BYTES);
    assertEquals(expected, offsets("Frame"));
  }

  /** Returns the second cell of each row under a heading of the third level, by the first one. */
  private static Map<String, Long> offsets(String heading) throws IOException {
    Path document = Path.of(System.getProperty("holdfast.root", ".."), "docs", "layout.md");
    Map<String, Long> offsets = new LinkedHashMap<>();
    boolean inside = false;
    for (String line : Files.readAllLines(document)) {
      if (line.startsWith("#")) {
        inside = line.equals("### " + heading);
      } else if (inside && line.startsWith("| ") && !line.startsWith("| name |")) {
        String[] cells = line.split("\\|", -1);
        offsets.put(cells[1].strip(), Long.parseLong(cells[2].strip()));
      }
    }
    return offsets;
  }
}
