package dev.holdfast.loader.internal.region;

import dev.holdfast.loader.internal.pipeline.Epochs;
import dev.holdfast.loader.internal.pipeline.RegionHost;
import dev.holdfast.loader.internal.pipeline.RegionStage;
import dev.holdfast.loader.internal.pipeline.Step;
import java.util.List;

/** Makes regions. */
public final class Regions {
  private Regions() {}

  /**
   * Makes a region whose workers are not started yet.
   *
   * @param step what it is
   * @param following the steps behind it
   * @param epochs which passes were left
   * @param host the engine
   * @param ownsArenas whether it closes and unlinks its arenas
   */
  public static RegionStage make(
      Step.Region step, List<Step> following, Epochs epochs, RegionHost host, boolean ownsArenas) {
    return new RegionNode(step, following, epochs, host, ownsArenas);
  }
}
