/** How the command speaks: streams, units, tables, JSON, and the error for bad usage. */
@NullMarked
package dev.holdfast.cli.text;

import org.jspecify.annotations.NullMarked;
