/**
 * Every shared word, used by two threads at a time as two processes use it; with three a machine of
 * two processors would leave the test out. Run by {@code org.openjdk.jcstress.Main}; {@code
 * JcstressTest} runs a quick form.
 */
@NullMarked
package dev.holdfast.stress;

import org.jspecify.annotations.NullMarked;
