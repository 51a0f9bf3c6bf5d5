package dev.holdfast.cli.bench;

/**
 * What producer and consumer agree to do in one pass.
 *
 * @param number the pass's number: 0 is the warm-up
 * @param items how many items travel
 * @param stamped which words are stamped and checked
 * @param delayMillis how long the producer sleeps before its first item
 */
public record PassPlan(int number, int items, Stamped stamped, long delayMillis) {}
