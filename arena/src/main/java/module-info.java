/**
 * Shared memory arenas, leases and holds, and the codecs of payloads. No dependency at run time.
 */
@SuppressWarnings("module") // the sister modules are not there yet when this one is compiled
module dev.holdfast.arena {
  requires jdk.jfr;
  requires static org.jspecify;

  exports dev.holdfast.arena;
  exports dev.holdfast.arena.payload;
  exports dev.holdfast.arena.internal.events to
      dev.holdfast.loader;
  exports dev.holdfast.arena.internal.fault to
      dev.holdfast.loader,
      dev.holdfast.cli;
  exports dev.holdfast.arena.internal.inspect to
      dev.holdfast.cli;
  exports dev.holdfast.arena.internal.life to
      dev.holdfast.cuda,
      dev.holdfast.loader,
      dev.holdfast.cli;
  exports dev.holdfast.arena.internal.memory to
      dev.holdfast.cuda,
      dev.holdfast.loader,
      dev.holdfast.cli;
  exports dev.holdfast.arena.internal.os to
      dev.holdfast.cuda,
      dev.holdfast.loader,
      dev.holdfast.cli;
  exports dev.holdfast.arena.internal.wait to
      dev.holdfast.cuda,
      dev.holdfast.loader;
}
