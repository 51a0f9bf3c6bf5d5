package dev.holdfast.testkit;

import org.jspecify.annotations.Nullable;

/**
 * A heap without room, until it is closed. For a child JVM of {@link #jvmArguments}, in which
 * nothing but the tested code allocates.
 */
public final class FullHeap implements AutoCloseable {
  private static final String[] JVM_ARGUMENTS = {"-Xmx24m", "-XX:+UseSerialGC", "-XX:-UseTLAB"};

  private static final int BLOCK = 1 << 16;

  private volatile @Nullable Object filler;

  private FullHeap() {}

  /**
   * Returns what makes a small heap that is used up to its last bytes, and collected fast.
   *
   * @return arguments of the JVM
   */
  public static String[] jvmArguments() {
    return JVM_ARGUMENTS.clone();
  }

  /**
   * Fills the heap.
   *
   * @param roomBytes about what can still be allocated
   * @return what is to be closed
   */
  public static FullHeap leaving(int roomBytes) {
    FullHeap full = new FullHeap();
    byte[] room = new byte[roomBytes];
    full.fill(BLOCK);
    full.fill(0);
    if (room.length != roomBytes) { // it is there until here, and gone from here on
      throw new AssertionError("another array");
    }
    return full;
  }

  private void fill(int blockBytes) {
    try {
      while (true) {
        Object[] node = new Object[] {filler, null};
        if (blockBytes > 0) {
          node[1] = new byte[blockBytes];
        }
        filler = node;
      }
    } catch (OutOfMemoryError e) {
      Thread.onSpinWait();
    }
  }

  /** Fills again what others have left to the collector meanwhile. */
  public void refill() {
    fill(0);
  }

  /** Gives all room back. */
  @Override
  public void close() {
    filler = null;
  }
}
