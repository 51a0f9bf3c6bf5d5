/** The {@code holdfast} command: its entry point and its subcommands. */
@NullMarked
package dev.holdfast.cli;

import org.jspecify.annotations.NullMarked;
