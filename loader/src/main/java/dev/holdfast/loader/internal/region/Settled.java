package dev.holdfast.loader.internal.region;

import java.util.ArrayList;
import java.util.List;

/**
 * What an answer has settled.
 *
 * @param ready what goes on now
 * @param finished inputs of which nothing more comes
 * @param dropped what belongs to inputs that are not here any more
 */
record Settled(List<Delivery> ready, List<Input> finished, List<Delivery> dropped) {
  Settled() {
    this(new ArrayList<>(1), new ArrayList<>(1), new ArrayList<>(0));
  }
}
