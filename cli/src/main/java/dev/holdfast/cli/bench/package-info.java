/**
 * The kernel of {@code holdfast bench}: cells, the transports that carry them, the payloads that
 * travel, and the processes that measure. Transports are found by {@link java.util.ServiceLoader}.
 */
@NullMarked
package dev.holdfast.cli.bench;

import org.jspecify.annotations.NullMarked;
