/**
 * Page-locking and copies to and from devices, on a CUDA driver that is found and bound at run
 * time.
 */
module dev.holdfast.cuda {
  requires static org.jspecify;
  requires transitive dev.holdfast.arena;

  exports dev.holdfast.cuda;
}
