package dev.holdfast.loader.pipeline;

import java.time.Duration;

/**
 * Figures of one stage, over all workers that run it. A region has a row of its own: its workers
 * are as busy as the busiest stage inside, and its times per item are those from the sending of an
 * input to its last result, waits included.
 *
 * @param name the stage's name
 * @param concurrency how many threads or workers work in it
 * @param items items it has worked on, failed ones too
 * @param failures items that failed in it
 * @param busy how long its threads have worked altogether, waits for its neighbours left out
 * @param p50 the median time per item
 * @param p99 the time that 99 of 100 items stay below
 * @param queueOccupancy how full the queue before it was on average when it took an item, from 0 to
 *     1: near 1 before the bottleneck, near 0 behind it
 * @param queueCapacity how many items that queue holds
 */
public record StageStats(
    String name,
    int concurrency,
    long items,
    long failures,
    Duration busy,
    Duration p50,
    Duration p99,
    double queueOccupancy,
    int queueCapacity) {}
