/** What the tests of every module share: child JVMs, leftover checks, stamps, deadlines, pauses. */
@NullMarked
package dev.holdfast.testkit;

import org.jspecify.annotations.NullMarked;
