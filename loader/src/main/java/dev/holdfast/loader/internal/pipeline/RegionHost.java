package dev.holdfast.loader.internal.pipeline;

/** The engine as a region sees it. Thread-safe. */
public interface RegionHost extends Troubles {

  /**
   * Notes that the pipeline cannot go on.
   *
   * @return what says so to the consumer, behind all earlier results
   */
  Cell fatal(long epoch, RuntimeException failure);

  /** Tells a consumer that waits of a problem that may pass. */
  void complain(RuntimeException problem);
}
