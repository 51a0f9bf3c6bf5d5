package dev.holdfast.loader.internal.channel;

/** Keeps memory mapped while a thread is in it. */
public interface Presence {

  /** For memory that never goes away. */
  Presence ALWAYS =
      new Presence() {
        @Override
        public boolean retain() {
          return true;
        }

        @Override
        public void release() {}
      };

  /**
   * Keeps the memory until {@link #release}.
   *
   * @return false when it is on its way out
   */
  boolean retain();

  /** Ends one {@link #retain}. */
  void release();
}
