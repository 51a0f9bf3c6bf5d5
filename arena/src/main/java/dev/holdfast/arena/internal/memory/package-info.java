/**
 * Shared files, their mappings, the words in them, and the layout that says which word is where.
 */
@NullMarked
package dev.holdfast.arena.internal.memory;

import org.jspecify.annotations.NullMarked;
