/**
 * What {@code holdfast demo} does: pictures become batches in a worker and statistics in the
 * parent.
 */
@NullMarked
package dev.holdfast.cli.demo;

import org.jspecify.annotations.NullMarked;
