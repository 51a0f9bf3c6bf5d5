package dev.holdfast.arena.payload;

import java.io.ObjectInputFilter;
import org.jspecify.annotations.Nullable;

/**
 * Decides about what an item's stream wants to make. Markers and what they stand for always pass.
 * An array must be in a proportion to the bytes of the record, so that a damaged length cannot ask
 * for memory. The rest is for the filters of the user and of the JVM. One stream's.
 */
final class ItemFilter implements ObjectInputFilter {
  /*
   * A primitive array takes at least one byte of the body for each element. Collections of the JDK
   * make arrays for more elements than they hold: a hash map asks for room by a load factor as low
   * as 0.25, rounded up to a power of two, and each of its entries takes two bytes; an identity map
   * asks for six places per entry.
   */
  private static final int PLACES_PER_BYTE = 8;
  private static final int FREE_PLACES = 1024;

  private final @Nullable ObjectInputFilter next;

  private long bodyBytes;
  private long depthBeside;
  private long referencesBeside;
  private long bytesBeside;
  private boolean markerResolved;
  private boolean limitExceeded;

  ItemFilter(@Nullable ObjectInputFilter next) {
    this.next = next;
  }

  /** The filter of the user and that of the JVM together, or null when there is none. */
  static @Nullable ObjectInputFilter merged(@Nullable ObjectInputFilter ofTheUser) {
    ObjectInputFilter ofTheJvm = ObjectInputFilter.Config.getSerialFilter();
    return ofTheUser == null ? ofTheJvm : ObjectInputFilter.merge(ofTheUser, ofTheJvm);
  }

  /** Whether somebody else decides what the filter of a stream is. */
  static boolean hasForeignFactory() {
    Module module = ObjectInputFilter.Config.getSerialFilterFactory().getClass().getModule();
    return module != Object.class.getModule();
  }

  void begin(int bytes) {
    bodyBytes = bytes;
    beside(0, 0, 0);
    markerResolved = false;
    limitExceeded = false;
  }

  /** Says what stands beside the stream, which counts as well. */
  void beside(long depth, long references, long bytes) {
    depthBeside = depth;
    referencesBeside = references;
    bytesBeside = bytes;
  }

  /** Says that the object asked about next is what a marker stands for. */
  void markerResolved() {
    markerResolved = true;
  }

  /** Whether the item was refused for an array that its bytes cannot fill. */
  boolean limitExceeded() {
    return limitExceeded;
  }

  @Override
  public Status checkInput(FilterInfo info) {
    if (markerResolved) {
      markerResolved = false;
      return Status.ALLOWED;
    }
    Class<?> type = info.serialClass();
    if (type == Marker.class || type == SharedMarker.class) {
      return Status.ALLOWED;
    }
    if (type != null && type.isArray() && info.arrayLength() > limit(type)) {
      limitExceeded = true;
      return Status.REJECTED;
    }
    return next == null ? Status.UNDECIDED : next.checkInput(total(info));
  }

  private FilterInfo total(FilterInfo info) {
    return new FilterQuestions.Info(
        info.serialClass(),
        info.arrayLength(),
        info.depth() + depthBeside,
        info.references() + referencesBeside,
        info.streamBytes() + bytesBeside);
  }

  private long limit(Class<?> array) {
    return array.getComponentType().isPrimitive()
        ? bodyBytes
        : bodyBytes * PLACES_PER_BYTE + FREE_PLACES;
  }
}
