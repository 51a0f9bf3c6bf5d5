/**
 * Other libraries behind the interface of {@code holdfast bench}, so that they are measured with
 * the same items, stamps, checks and clocks: Aeron, Chronicle Queue, Netty and Arrow. Each is used
 * as its own documents advise for bulk payloads; {@code docs/performance.md} says how.
 */
@NullMarked
package dev.holdfast.peers;

import org.jspecify.annotations.NullMarked;
