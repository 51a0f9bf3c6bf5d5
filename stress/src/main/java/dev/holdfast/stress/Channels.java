package dev.holdfast.stress;

import dev.holdfast.arena.internal.memory.SegmentWords;
import dev.holdfast.loader.internal.channel.Channel;
import dev.holdfast.loader.internal.channel.ChannelLayout;
import dev.holdfast.loader.internal.channel.Presence;
import java.lang.foreign.MemorySegment;

/** One direction of a channel as small as it gets, on the heap. */
final class Channels {
  private Channels() {}

  static SegmentWords wordsOnTheHeap() {
    return new SegmentWords(MemorySegment.ofArray(new long[(int) ChannelLayout.WORDS_BYTES / 8]));
  }

  static Channel over(SegmentWords words) {
    return new Channel(
        "stress",
        words,
        0,
        MemorySegment.ofArray(new long[(int) Channel.LEAST_CAPACITY / 8]),
        Presence.ALWAYS);
  }
}
