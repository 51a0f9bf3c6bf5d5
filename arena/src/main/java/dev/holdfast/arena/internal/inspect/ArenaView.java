package dev.holdfast.arena.internal.inspect;

import dev.holdfast.arena.ArenaCorruptedException;
import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.Side;
import dev.holdfast.arena.internal.memory.ArenaGeometry;
import dev.holdfast.arena.internal.memory.ArenaLayout;
import dev.holdfast.arena.internal.memory.ArenaWords;
import dev.holdfast.arena.internal.memory.Claim;
import dev.holdfast.arena.internal.memory.SegmentWords;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the shared words of an arena say at one moment.
 *
 * @param geometry the constant part
 * @param published units ever published
 * @param reclaimed units ever given back
 * @param head a ring's published bytes, 0 for a pool
 * @param tail a ring's bytes that were given back, 0 for a pool
 * @param generation how often an endpoint was taken over
 * @param writerWaiting whether a writer waits for space
 * @param ownerShutdown whether the owner has shut the arena down
 * @param peerShutdown whether another process has
 * @param writer who holds the writer, or null
 * @param reader who holds the reader, or null
 * @param holders what keeps the units that are not given back, by kind
 * @param oldest the oldest of them, or null
 * @param doubt why the words cannot be true, or null
 */
public record ArenaView(
    ArenaGeometry geometry,
    long published,
    long reclaimed,
    long head,
    long tail,
    long generation,
    boolean writerWaiting,
    boolean ownerShutdown,
    boolean peerShutdown,
    @Nullable Claim writer,
    @Nullable Claim reader,
    List<HolderGroup> holders,
    @Nullable OldestUnit oldest,
    @Nullable String doubt) {

  /**
   * The words of more segments are not looked at, so that a lie about their number costs little.
   */
  private static final long MOST_WORD_BYTES = 64L << 20;

  /** The words are not read at one moment: what moves meanwhile is read again. */
  private static final int TRIES = 20;

  /**
   * Units with the same kind of holder.
   *
   * @param kind the kind in words
   * @param count how many units
   * @param oldestMillis age of the oldest, -1 when nobody knows
   */
  public record HolderGroup(String kind, long count, long oldestMillis) {}

  /**
   * The oldest unit that is not given back.
   *
   * @param unit its number
   * @param holder the kind of its holder in words
   * @param ageMillis since when, -1 when nobody knows
   */
  public record OldestUnit(long unit, String holder, long ageMillis) {}

  public ArenaView {
    holders = List.copyOf(holders);
  }

  /** Returns whether it is a ring; everything else is a pool. */
  public boolean isRing() {
    return geometry.kind() == ArenaLayout.KIND_RING;
  }

  /** Returns whether a pool serves tickets, as far as one of its sides is open. */
  public boolean servesTickets() {
    return (writer != null && writer.use() == Claim.Use.TICKETS)
        || (reader != null && reader.use() == Claim.Use.TICKETS);
  }

  /**
   * Reads an arena.
   *
   * @param source its bytes
   * @param place how errors name it
   * @throws ArenaCorruptedException when its header cannot be true
   */
  static ArenaView read(ByteSource source, String place) throws IOException {
    try (Arena memory = Arena.ofConfined()) {
      if (source.byteSize() < ArenaLayout.HEADER_BYTES) {
        throw new ArenaCorruptedException(
            FailureDetail.of("there is no room for a header")
                .with("place", place)
                .with("bytes", source.byteSize()));
      }
      MemorySegment header = memory.allocate(ArenaLayout.HEADER_BYTES, Long.BYTES);
      source.read(header.asByteBuffer());
      ArenaGeometry geometry = ArenaGeometry.read(header, source.byteSize(), place);
      long wordBytes = ArenaLayout.sealedOffset(geometry.segments());
      boolean tooMany = wordBytes > MOST_WORD_BYTES;
      MemorySegment words = tooMany ? header : memory.allocate(wordBytes, Long.BYTES);
      WordReader reader =
          new WordReader(geometry, new ArenaWords(new SegmentWords(words), geometry.segments()));
      for (int tries = 0; tries < TRIES; tries++) {
        source.read(words.asByteBuffer());
        if (reader.possible()) {
          return reader.view(!tooMany, tooMany ? "there are too many segments to list" : null);
        }
      }
      return reader.view(false, "the counters cannot be true");
    }
  }

  /** Returns who holds a side, or null. */
  static @Nullable Claim claim(ArenaWords words, Side side) {
    long word = words.claimVolatile(side);
    return word == Claim.FREE ? null : Claim.decode(word);
  }
}
