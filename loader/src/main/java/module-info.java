/** Channels, worker processes and iteration over what they produce. */
module dev.holdfast.loader {
  requires static org.jspecify;
  requires transitive dev.holdfast.arena;
  requires HdrHistogram;
  requires java.management;
  requires jdk.jfr;

  exports dev.holdfast.loader;
  exports dev.holdfast.loader.pipeline;
}
