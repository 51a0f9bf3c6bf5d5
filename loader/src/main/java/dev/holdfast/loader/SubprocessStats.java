package dev.holdfast.loader;

import java.time.Duration;

/**
 * Figures of one worker as its consumer sees them, taken at one moment without stopping anybody.
 *
 * @param pid the worker's process id
 * @param startTime from the start of the process until it was ready
 * @param passes iterations begun
 * @param items items delivered over all passes
 * @param discarded items that were received and thrown away when a pass was left early
 * @param failures errors that came from the worker
 * @param waits how often the consumer had to wait for a message
 * @param waitTime how long it waited altogether
 * @param heapCopies items delivered as heap copies because their storage could not be collected in
 *     time
 */
public record SubprocessStats(
    long pid,
    Duration startTime,
    long passes,
    long items,
    long discarded,
    long failures,
    long waits,
    Duration waitTime,
    long heapCopies) {}
