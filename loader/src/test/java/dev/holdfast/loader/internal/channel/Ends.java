package dev.holdfast.loader.internal.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.holdfast.arena.internal.memory.HeapWords;
import dev.holdfast.arena.internal.memory.SegmentWords;
import dev.holdfast.arena.internal.memory.SharedWords;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Both ends of one direction in one process. */
record Ends(SharedWords words, MemorySegment ring, ChannelSender sender, ChannelReceiver receiver) {

  static Ends onHeap(int capacity, long itemLimit) {
    return of(
        new HeapWords(ChannelLayout.WORDS_BYTES),
        MemorySegment.ofArray(new byte[capacity]),
        itemLimit);
  }

  static Ends offHeap(Arena arena, int capacity, long itemLimit) {
    MemorySegment words = arena.allocate(ChannelLayout.WORDS_BYTES, 4096);
    return of(new SegmentWords(words), arena.allocate(capacity, 4096), itemLimit);
  }

  private static Ends of(SharedWords words, MemorySegment ring, long itemLimit) {
    Channel channel = new Channel("test", words, 0, ring, Presence.ALWAYS);
    return new Ends(
        words, ring, new ChannelSender(channel, itemLimit), new ChannelReceiver(channel));
  }

  /** Bytes in which each one says where it belongs. */
  static MemorySegment body(long number, int size) {
    byte[] bytes = new byte[size];
    for (int i = 0; i < size; i++) {
      bytes[i] = stamp(number, i);
    }
    return MemorySegment.ofArray(bytes);
  }

  static void assertBody(long number, int size, MemorySegment body) {
    assertEquals(size, body.byteSize(), () -> "bytes of record " + number);
    assertEquals(
        -1, body(number, size).mismatch(body), () -> "first wrong byte of record " + number);
  }

  private static byte stamp(long number, int at) {
    return (byte) (number * 31 + at * 7L + (at >> 8));
  }

  void assertEmpty() {
    assertEquals(false, receiver.poll(), "nothing is left");
    assertEquals(true, sender.isDrained(), "all is read");
  }
}
