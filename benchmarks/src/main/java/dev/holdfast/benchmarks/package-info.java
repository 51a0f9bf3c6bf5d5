/**
 * Benchmarks of what happens inside one process: codecs of envelopes, units of a pool, the book of
 * units under contention.
 *
 * <pre>
 * ./mvnw -Pquick -pl benchmarks -am -DskipTests package
 * java -jar benchmarks/target/benchmarks.jar CodecBenchmark
 * </pre>
 */
@NullMarked
package dev.holdfast.benchmarks;

import org.jspecify.annotations.NullMarked;
