package dev.holdfast.acceptance.arena;

import dev.holdfast.testkit.Stamps;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.LongBuffer;
import java.util.List;
import java.util.Spliterator;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/** The ways in which Java can alias a view. Each reads one whole word of the view's stamp. */
final class Alias {

  /**
   * One way.
   *
   * @param name for messages
   * @param word index of the word that it reads
   * @param make makes the alias from a view of at least 64 bytes
   * @param read reads the word through it
   */
  record Kind(
      String name, long word, Function<MemorySegment, Object> make, ToLongFunction<Object> read) {

    long expected(long stamp, long epoch) {
      return Stamps.word(stamp, epoch, word);
    }
  }

  static final List<Kind> KINDS =
      List.of(
          new Kind("view", 0, view -> view, Alias::ofSegment),
          new Kind("slice", 2, view -> view.asSlice(16), Alias::ofSegment),
          new Kind("slice of slice", 3, view -> view.asSlice(16).asSlice(8, 8), Alias::ofSegment),
          new Kind("read-only", 0, MemorySegment::asReadOnly, Alias::ofSegment),
          new Kind("reinterpreted size", 0, Alias::reinterpreted, Alias::ofSegment),
          new Kind("byte buffer", 0, MemorySegment::asByteBuffer, Alias::ofBuffer),
          new Kind("slice of buffer", 1, view -> view.asByteBuffer().slice(8, 16), Alias::ofBuffer),
          new Kind("duplicate", 0, view -> view.asByteBuffer().duplicate(), Alias::ofBuffer),
          new Kind(
              "read-only buffer",
              0,
              view -> view.asByteBuffer().asReadOnlyBuffer(),
              Alias::ofBuffer),
          new Kind("float buffer", 0, view -> little(view).asFloatBuffer(), Alias::ofFloats),
          new Kind("long buffer", 0, view -> little(view).asLongBuffer(), Alias::ofLongs),
          new Kind(
              "segment of buffer",
              0,
              view -> MemorySegment.ofBuffer(view.asByteBuffer()),
              Alias::ofSegment),
          new Kind(
              "segment of float buffer",
              1,
              view -> MemorySegment.ofBuffer(little(view).asFloatBuffer().position(2)),
              Alias::ofSegment),
          new Kind(
              "elements",
              0,
              view -> view.elements(ValueLayout.JAVA_LONG_UNALIGNED),
              Alias::ofStream),
          new Kind(
              "spliterator",
              0,
              view -> view.spliterator(ValueLayout.JAVA_LONG_UNALIGNED),
              Alias::ofSpliterator));

  private Alias() {}

  private static ByteBuffer little(MemorySegment view) {
    return view.asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
  }

  @SuppressWarnings("restricted")
  private static MemorySegment reinterpreted(MemorySegment view) {
    return view.reinterpret(64);
  }

  private static long ofSegment(Object alias) {
    return ((MemorySegment) alias).get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
  }

  private static long ofBuffer(Object alias) {
    return ((ByteBuffer) alias).order(ByteOrder.LITTLE_ENDIAN).getLong(0);
  }

  private static long ofFloats(Object alias) {
    FloatBuffer floats = (FloatBuffer) alias;
    long low = Float.floatToRawIntBits(floats.get(0)) & 0xffff_ffffL;
    return low | (long) Float.floatToRawIntBits(floats.get(1)) << 32;
  }

  private static long ofLongs(Object alias) {
    return ((LongBuffer) alias).get(0);
  }

  private static long ofStream(Object alias) {
    return ofSegment(((Stream<?>) alias).findFirst().orElseThrow());
  }

  private static long ofSpliterator(Object alias) {
    long[] word = new long[1];
    if (!((Spliterator<?>) alias).tryAdvance(element -> word[0] = ofSegment(element))) {
      throw new AssertionError("no element");
    }
    return word[0];
  }
}
